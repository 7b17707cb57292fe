import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { isProblem } from '../api/client.ts';
import { workerOf } from '../api/queries.ts';
import { Facts, Page, Panel } from '../parts/page.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { TaskTable } from '../parts/task-table.tsx';
import { Age, Moment } from '../parts/times.tsx';
import { DrainButton, Seats, WorkerMark } from './workers.tsx';

export function WorkerPage() {
  const { id } = useParams({ from: '/workers/$id' });
  const query = useQuery(workerOf(id));
  const worker = query.data;
  return (
    <Page
      title={worker === undefined ? 'Worker' : `Worker ${worker.host} ${worker.pid}`}
      aside={worker && <DrainButton worker={worker} />}
    >
      {isProblem(query.error, 404) && worker === undefined ? (
        <Empty title="There is no such worker">
          <p>
            It is gone for so long that it was forgotten. <Link to="/workers">To the workers</Link>
          </p>
        </Empty>
      ) : (
        <Shown query={query}>
          {({ state, running, seats, queues, version, startedAt, heartbeatAt, tools, tasks }) => (
            <>
              <Panel title="Facts">
                <Facts
                  of={[
                    ['State', <WorkerMark key="state" state={state} />],
                    ['Busy', <Seats key="seats" running={running} seats={seats} />],
                    [
                      'Id',
                      <span key="id" className="mono">
                        {id}
                      </span>,
                    ],
                    ['Version', version],
                    ['Queues', queues.join(', ')],
                    ['Started', <Moment key="started" at={startedAt} />],
                    ['Heard', <Age key="heard" at={heartbeatAt} />],
                    ['Tools', tools.length > 0 && <Tools names={tools} />],
                  ]}
                />
              </Panel>
              <Panel
                title="What it runs now"
                aside={
                  <Link to="/tasks" search={{ worker: id }}>
                    All its tasks
                  </Link>
                }
              >
                {tasks.length === 0 ? (
                  <Empty title="Nothing: it has seats free" />
                ) : (
                  <TaskTable caption="Tasks of this worker" tasks={tasks} isOfAll />
                )}
              </Panel>
            </>
          )}
        </Shown>
      )}
    </Page>
  );
}

function Tools({ names }: { names: readonly string[] }) {
  return (
    <details>
      <summary>{names.length}</summary>
      {names.map((name) => (
        <span key={name}>
          <Link to="/tools/$name" params={{ name }}>
            {name}
          </Link>{' '}
        </span>
      ))}
    </details>
  );
}
