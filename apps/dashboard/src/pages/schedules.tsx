import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useAction } from '../api/actions.ts';
import { schedulesOf } from '../api/queries.ts';
import type { Schedule } from '../api/types.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { noWriter, useMe } from '../parts/me.tsx';
import { Page } from '../parts/page.tsx';
import { Pager } from '../parts/pager.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { shortId } from '../parts/task-table.tsx';
import { Age, Moment } from '../parts/times.tsx';
import { countText } from '../state/time-text.ts';

export function SchedulesPage() {
  const me = useMe();
  const { cursor } = useSearch({ from: '/schedules' });
  const query = useQuery(schedulesOf(cursor));
  return (
    <Page title={me.seesAll ? 'Schedules' : 'Your schedules'}>
      <Shown query={query}>
        {({ schedules, next }) =>
          schedules.length === 0 && cursor === undefined ? (
            <Empty title="There is no schedule">
              <p>
                A client makes one by calling the tool <code>schedule</code>.
              </p>
            </Empty>
          ) : (
            <>
              <DataTable
                caption="Schedules, the newest first"
                rows={schedules}
                idOf={({ id }) => id}
                columns={COLUMNS.filter(({ header }) => me.seesAll || header !== 'Principal')}
              />
              <Pager cursor={cursor} next={next} />
            </>
          )
        }
      </Shown>
    </Page>
  );
}

const STATE_WORDS = { active: 'Active', paused: 'Paused', ended: 'Ended' } as const;
const STATE_COLORS = {
  active: 'var(--good)',
  paused: 'var(--bad)',
  ended: 'var(--quiet)',
} as const;

const COLUMNS: readonly Column<Schedule>[] = [
  {
    header: 'State',
    cell: ({ state, note }) => (
      <span className="phase" style={{ color: STATE_COLORS[state] }} title={note ?? ''}>
        {STATE_WORDS[state]}
      </span>
    ),
  },
  {
    header: 'Schedule',
    cell: ({ id, name, tool, lastTaskId, note }) => (
      <>
        {lastTaskId === null ? (
          <strong>{name ?? shortId(id)}</strong>
        ) : (
          <Link to="/tasks/$id" params={{ id: lastTaskId }} title="Its latest task">
            {name ?? shortId(id)}
          </Link>
        )}{' '}
        <span className="soft">{tool}</span>
        {note !== null && <span className="bad"> {note}</span>}
      </>
    ),
  },
  {
    header: 'When',
    look: 'wide',
    cell: ({ cron, runAt, timeZone }) =>
      cron === null ? (
        runAt && <Moment at={runAt} />
      ) : (
        <>
          <code>{cron}</code> <span className="soft">{timeZone}</span>
        </>
      ),
  },
  {
    header: 'Next',
    cell: ({ nextRuns }) => {
      const [first, ...rest] = nextRuns;
      if (first === undefined) return '–';
      return (
        <details>
          <summary>
            <Age at={first} />
          </summary>
          {[first, ...rest].map((at) => (
            <div key={at} style={{ whiteSpace: 'nowrap' }}>
              <Moment at={at} />
            </div>
          ))}
        </details>
      );
    },
  },
  {
    header: 'Last',
    look: 'wide',
    cell: ({ lastRunAt }) => (lastRunAt === null ? '–' : <Age at={lastRunAt} />),
  },
  { header: 'Runs', look: 'right wide', cell: ({ runs }) => countText(runs) },
  { header: 'Skipped', look: 'right wide', cell: ({ skipped }) => countText(skipped) },
  {
    header: 'If missed, if it still runs',
    look: 'wide',
    cell: ({ missed, overlap }) =>
      `${{ skip: 'skip', run_once: 'run once', run_all: 'run all' }[missed]}, ${{ skip: 'skip', start: 'start' }[overlap]}`,
  },
  { header: 'Principal', look: 'wide', cell: ({ principal }) => principal?.subject ?? '–' },
  { header: 'Do', look: 'right', cell: (schedule) => <RemoveButton schedule={schedule} /> },
];

function RemoveButton({ schedule: { id, name } }: { schedule: Schedule }) {
  const not = noWriter(useMe());
  const remove = useAction('DELETE /schedules/{id}', {
    done: () => `${name ?? 'The schedule'} is removed.`,
  });
  return (
    <ActionButton
      label="Remove"
      look="danger"
      not={not}
      isBusy={remove.isPending}
      confirm={<p>{name ?? shortId(id)} starts nothing more. Its tasks stay.</p>}
      run={() => remove.mutate({ params: { id } })}
    />
  );
}
