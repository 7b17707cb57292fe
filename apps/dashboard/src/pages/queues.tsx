import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { QUEUES } from '../api/queries.ts';
import type { Queue } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Page } from '../parts/page.tsx';
import { PauseButton } from '../parts/pause-button.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { countText, durationText } from '../state/time-text.ts';
import { Seats } from './workers.tsx';

export function QueuesPage() {
  const query = useQuery(QUEUES);
  return (
    <Page title="Queues">
      <Shown query={query}>
        {(queues) =>
          queues.length === 0 ? (
            <Empty title="There is no queue yet">
              <p>A queue is there once a worker serves it or a task is in it.</p>
            </Empty>
          ) : (
            <DataTable caption="Queues" rows={queues} idOf={({ name }) => name} columns={COLUMNS} />
          )
        }
      </Shown>
    </Page>
  );
}

/** Counted up to this. */
const MOST = 10_000;
const upTo = (count: number): string => `${countText(count)}${count >= MOST ? '+' : ''}`;

const COLUMNS: readonly Column<Queue>[] = [
  {
    header: 'Queue',
    cell: ({ name, isPaused, workers }) => (
      <>
        <Link to="/tasks" search={{ queue: [name] }}>
          {name}
        </Link>
        {isPaused && <strong className="bad"> paused</strong>}
        {workers === 0 && <strong className="bad"> no worker</strong>}
      </>
    ),
  },
  { header: 'Waiting', look: 'right', cell: ({ waiting, ready }) => upTo(waiting + ready) },
  { header: 'Retrying', look: 'right wide', cell: ({ retrying }) => upTo(retrying) },
  { header: 'Asking', look: 'right wide', cell: ({ inputRequired }) => upTo(inputRequired) },
  { header: 'Busy', cell: ({ running, seats }) => <Seats running={running} seats={seats} /> },
  { header: 'Workers', look: 'right wide', cell: ({ workers }) => workers },
  {
    header: 'Oldest waits',
    look: 'right wide',
    cell: ({ oldestWaitMs }) => (oldestWaitMs === null ? '–' : durationText(oldestWaitMs)),
  },
  {
    header: 'Do',
    look: 'right',
    cell: ({ name, isPaused }) => (
      <PauseButton kind="queues" what="Tasks" name={name} isPaused={isPaused} />
    ),
  },
];
