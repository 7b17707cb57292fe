import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAction } from '../api/actions.ts';
import { WORKERS } from '../api/queries.ts';
import type { Worker } from '../api/types.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Icon } from '../parts/icons.tsx';
import { noOperator, useMe } from '../parts/me.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { Age } from '../parts/times.tsx';

export function WorkersPage() {
  const query = useQuery(WORKERS);
  return (
    <Page title="Workers">
      <Shown query={query}>
        {(workers) => {
          const there = workers.filter(({ state }) => state !== 'silent');
          const silent = workers.filter(({ state }) => state === 'silent');
          return (
            <>
              {there.length === 0 ? (
                <Empty title="No worker is there">
                  <p>
                    Tasks are taken on and wait. Start one: node apps/worker/dist/main.js, or
                    longshore start.
                  </p>
                </Empty>
              ) : (
                <DataTable caption="Workers" rows={there} idOf={({ id }) => id} columns={COLUMNS} />
              )}
              {silent.length > 0 && (
                <details>
                  <summary>
                    {silent.length} without a sign of life for longer than their lease
                  </summary>
                  <DataTable
                    caption="Silent workers"
                    rows={silent}
                    idOf={({ id }) => id}
                    columns={COLUMNS}
                  />
                </details>
              )}
            </>
          );
        }}
      </Shown>
    </Page>
  );
}

const LOOKS = {
  live: { icon: 'check', color: 'var(--good)', word: 'Live' },
  draining: { icon: 'pause', color: 'var(--question)', word: 'Draining' },
  silent: { icon: 'cross', color: 'var(--bad)', word: 'Silent' },
} as const;

export function WorkerMark({ state }: { state: Worker['state'] }) {
  const { icon, color, word } = LOOKS[state];
  return (
    <span className="phase" style={{ color }}>
      <Icon name={icon} />
      {word}
    </span>
  );
}

export function Seats({ running, seats }: { running: number; seats: number }) {
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      <span className="meter" aria-hidden="true">
        <span style={{ width: `${Math.min(100, (100 * running) / Math.max(1, seats))}%` }} />
      </span>
      {running}/{seats}
    </span>
  );
}

const COLUMNS: readonly Column<Worker>[] = [
  { header: 'State', cell: ({ state }) => <WorkerMark state={state} /> },
  {
    header: 'Worker',
    cell: ({ id, host, pid }) => (
      <Link to="/workers/$id" params={{ id }}>
        {host} <span className="soft">{pid}</span>
      </Link>
    ),
  },
  { header: 'Busy', cell: ({ running, seats }) => <Seats running={running} seats={seats} /> },
  { header: 'Queues', look: 'wide', cell: ({ queues }) => queues.join(', ') },
  { header: 'Tools', look: 'right wide', cell: ({ tools }) => tools.length },
  { header: 'Version', look: 'wide', cell: ({ version }) => version },
  { header: 'Up', look: 'right wide', cell: ({ startedAt }) => <Age at={startedAt} /> },
  { header: 'Heard', look: 'right wide', cell: ({ heartbeatAt }) => <Age at={heartbeatAt} /> },
  { header: 'Do', look: 'right', cell: (worker) => <DrainButton worker={worker} /> },
];

export function DrainButton({ worker: { id, host, pid, state } }: { worker: Worker }) {
  const me = useMe();
  const drain = useAction('POST /workers/{id}/drain', {
    done: () => `${host} ${pid} takes nothing new, and ends what it has.`,
  });
  const resume = useAction('POST /workers/{id}/resume', {
    done: () => `${host} ${pid} takes tasks again.`,
  });
  const call = { params: { id } };
  if (state === 'draining')
    return (
      <ActionButton
        label="Resume"
        look="filled"
        not={noOperator(me)}
        isBusy={resume.isPending}
        run={() => resume.mutate(call)}
      />
    );
  return (
    <ActionButton
      label="Drain"
      not={noOperator(me) ?? (state === 'silent' ? 'It does not listen.' : null)}
      isBusy={drain.isPending}
      confirm={
        <p>
          {host} {pid} takes nothing new, and ends what it has. It can be stopped then, or resumed.
        </p>
      }
      run={() => drain.mutate(call)}
    />
  );
}
