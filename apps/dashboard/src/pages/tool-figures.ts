import { percentileOf } from '@longshore/operator/histogram';
import type { Stats } from '../api/types.ts';
import type { Column } from '../parts/data-table.tsx';
import { countText, durationText, shareText } from '../state/time-text.ts';

type Figures = Omit<Stats['tools'][number], 'tool'>;

/** How often what a row is of was called within a day, how often it failed and how long it ran. */
export function figuresOf<Row>(find: (row: Row) => Figures | undefined): Column<Row>[] {
  const column = (header: string, look: string, text: (figures: Figures) => string) => ({
    header,
    look,
    cell: (row: Row) => {
      const figures = find(row);
      return figures === undefined ? '–' : text(figures);
    },
  });
  return [
    column('Calls, 24 h', 'right', ({ completed, failed, cancelled }) =>
      countText(completed + failed + cancelled),
    ),
    column('Failures', 'right', ({ completed, failed }) => shareText(failed, completed + failed)),
    column('Run, 95 %', 'right wide', ({ runHistogram }) => {
      const ms = percentileOf(runHistogram, 0.95);
      return ms === null ? '–' : `≈ ${durationText(ms)}`;
    }),
  ];
}
