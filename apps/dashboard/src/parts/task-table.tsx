import { Link } from '@tanstack/react-router';
import { hasEnded } from '../api/has-ended.ts';
import type { TaskSummary } from '../api/types.ts';
import { type Column, DataTable } from './data-table.tsx';
import { PhaseMark } from './icons.tsx';
import { Progress } from './progress.tsx';
import { Age, Span } from './times.tsx';

export const shortId = (id: string): string => id.slice(-8);

const COLUMNS: readonly (Column<TaskSummary> & { readonly isOfAll?: true })[] = [
  { header: 'State', cell: ({ phase }) => <PhaseMark phase={phase} /> },
  {
    header: 'Task',
    cell: ({ id, tool, method }) => (
      <Link to="/tasks/$id" params={{ id }} title={id} className="one-line">
        {tool === '' ? method : tool} <span className="mono soft">{shortId(id)}</span>
      </Link>
    ),
  },
  {
    header: 'Progress or error',
    look: 'grow wide',
    cell: ({ message, progress, phase }) => (
      <>
        {!hasEnded({ phase }) && <Progress of={progress} />}{' '}
        {message !== null && phase !== 'completed' && (
          <span className={phase === 'failed' ? 'bad' : 'soft'} title={message}>
            {message}
          </span>
        )}
      </>
    ),
  },
  { header: 'Queue', look: 'wide', cell: ({ queue }) => queue },
  {
    header: 'Principal',
    look: 'wide',
    isOfAll: true,
    cell: ({ principal }) => principal?.subject ?? '–',
  },
  {
    header: 'Try',
    look: 'right wide',
    cell: ({ attempt, maxAttempts }) => `${attempt}/${maxAttempts}`,
  },
  {
    header: 'Took',
    look: 'right wide',
    cell: (task) =>
      task.startedAt === null ? (
        '–'
      ) : (
        <Span
          from={task.startedAt}
          to={task.finishedAt ?? (hasEnded(task) ? task.startedAt : null)}
        />
      ),
  },
  { header: 'Age', look: 'right', cell: ({ createdAt }) => <Age at={createdAt} /> },
];

/** Tasks as rows, on whichever page. */
export function TaskTable(props: {
  caption: string;
  tasks: readonly TaskSummary[];
  isOfAll: boolean;
  selection?: { ids: ReadonlySet<string>; set: (ids: ReadonlySet<string>) => void } | undefined;
}) {
  const { caption, tasks, isOfAll, selection } = props;
  return (
    <DataTable
      caption={caption}
      columns={COLUMNS.filter((column) => isOfAll || column.isOfAll !== true)}
      rows={tasks}
      idOf={({ id }) => id}
      nameOf={({ tool, id }) => `${tool} ${shortId(id)}`}
      selection={selection}
    />
  );
}
