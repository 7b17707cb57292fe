import { Button, CloseButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { client, messageOf } from '../api/client.ts';
import { hasEnded } from '../api/has-ended.ts';
import { countOf, createdSince, readAgain, tasksOf } from '../api/queries.ts';
import type { TaskSummary } from '../api/types.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { noWriter, useMe } from '../parts/me.tsx';
import { Page } from '../parts/page.tsx';
import { Pager } from '../parts/pager.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { TaskFilters } from '../parts/task-filters.tsx';
import { TaskTable } from '../parts/task-table.tsx';
import { Moment } from '../parts/times.tsx';
import type { TaskSearch } from '../state/searches.ts';
import { useStore } from '../state/store.ts';
import { countText } from '../state/time-text.ts';
import { say } from '../state/toasts.ts';
import { BulkActions } from './bulk-actions.tsx';

export function TasksPage() {
  const me = useMe();
  const search = useSearch({ from: '/tasks' });
  const query = useQuery(tasksOf(search));
  const [picked, pick] = useState<ReadonlySet<string>>(new Set());
  const hasFilter = Object.entries(search).some(
    ([name, value]) => name !== 'cursor' && value !== undefined,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows, another choice of them.
  useEffect(() => pick(new Set()), [search]);
  return (
    <Page
      title={me.seesAll ? 'Tasks' : 'Your tasks'}
      aside={
        <>
          <NewRows search={search} hasFilter={hasFilter} />
          <MatchCount search={search} hasFilter={hasFilter} />
          <BulkActions search={search} hasFilter={hasFilter} />
        </>
      }
    >
      <TaskFilters search={search} />
      <Shown query={query}>
        {({ tasks, next, searchedTo }) => (
          <>
            {picked.size > 0 && (
              <PickedActions
                tasks={tasks.filter(({ id }) => picked.has(id))}
                clear={() => pick(new Set())}
              />
            )}
            {tasks.length === 0 ? (
              <NoTasks
                hasFilter={hasFilter}
                searchedTo={searchedTo}
                isFirst={search.cursor === undefined}
              />
            ) : (
              <TaskTable
                caption="Tasks, the newest first"
                tasks={tasks}
                isOfAll={me.seesAll}
                selection={{ ids: picked, set: pick }}
              />
            )}
            {searchedTo !== null && (
              <p className="soft" role="status">
                Looked at tasks back to <Moment at={searchedTo} />; “Older” looks further.
              </p>
            )}
            <Pager cursor={search.cursor} next={next} />
          </>
        )}
      </Shown>
    </Page>
  );
}

function NoTasks(props: { hasFilter: boolean; searchedTo: string | null; isFirst: boolean }) {
  if (!props.isFirst) return <Empty title="Nothing older" />;
  if (props.searchedTo !== null) return <Empty title="Nothing yet among the latest tasks" />;
  if (props.hasFilter)
    return (
      <Empty title="No task matches">
        <Link to="/tasks">Clear all filters</Link>
      </Empty>
    );
  return (
    <Empty title="There is no task yet">
      <p>
        A task is made when a client calls a tool. <Link to="/tools">Run a tool</Link> to see one.
      </p>
    </Empty>
  );
}

function MatchCount({ search, hasFilter }: { search: TaskSearch; hasFilter: boolean }) {
  const { data } = useQuery({ ...countOf(search), enabled: hasFilter });
  if (!hasFilter || data === undefined) return null;
  return (
    <span className="soft">
      {countText(data.count)}
      {data.isCapped && '+'} match
    </span>
  );
}

/** New tasks move no row: they are counted until someone wants to see them. */
function NewRows({ search, hasFilter }: { search: TaskSearch; hasFilter: boolean }) {
  const count = useStore(createdSince);
  const navigate = useNavigate();
  const show = () => {
    createdSince.set(0);
    void readAgain(['count']);
    if (search.cursor === undefined) void readAgain(['tasks']);
    else
      void navigate({
        to: '/tasks',
        search: { ...search, cursor: undefined },
        state: { trail: [] },
      });
  };
  return (
    <div role="status" className="fresh">
      {count > 0 && (
        <>
          {countText(count)} new {hasFilter && 'in all '}
          <Button size="compact-xs" variant="default" onClick={show}>
            Show
          </Button>
        </>
      )}
    </div>
  );
}

/** Calls at once. */
const WIDTH = 8;

function PickedActions({ tasks, clear }: { tasks: readonly TaskSummary[]; clear: () => void }) {
  const me = useMe();
  const [isBusy, setBusy] = useState(false);
  const open = tasks.filter((task) => !hasEnded(task));
  const ended = tasks.filter(hasEnded);
  const each = async (
    chosen: readonly TaskSummary[],
    name: 'POST /tasks/{id}/cancel' | 'POST /tasks/{id}/retry',
    done: string,
  ) => {
    setBusy(true);
    const rest = [...chosen];
    const refused: string[] = [];
    const one = async () => {
      for (let task = rest.pop(); task !== undefined; task = rest.pop()) {
        const params = { id: task.id };
        const call =
          name === 'POST /tasks/{id}/cancel'
            ? client(name, { params })
            : client(name, { params, body: {} });
        await call.catch((error: unknown) => refused.push(messageOf(error)));
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, one));
    setBusy(false);
    const count = chosen.length - refused.length;
    if (count > 0) say('done', `${done} ${count} of ${chosen.length} tasks.`);
    if (refused.length > 0)
      say(
        'failed',
        `${refused.length} of ${chosen.length}: ${[...new Set(refused)].slice(0, 3).join('; ')}`,
      );
    clear();
    void readAgain();
  };
  return (
    <section className="tools" style={{ marginBottom: 8 }} aria-label="Selected tasks">
      <strong>{tasks.length} selected</strong>
      <ActionButton
        label={`Cancel ${open.length}`}
        look="danger"
        isBusy={isBusy}
        not={noWriter(me) ?? (open.length === 0 ? 'All of them have ended.' : null)}
        confirm={
          <p>{open.length} tasks stop, with what they have started. What they did so far stays.</p>
        }
        run={() => void each(open, 'POST /tasks/{id}/cancel', 'Cancelled')}
      />
      <ActionButton
        label={`Retry ${ended.length}`}
        isBusy={isBusy}
        not={noWriter(me) ?? (ended.length === 0 ? 'None of them has ended.' : null)}
        confirm={
          <p>{ended.length} calls are made again, each as a new task; these stay as they are.</p>
        }
        run={() => void each(ended, 'POST /tasks/{id}/retry', 'Started again')}
      />
      <CloseButton size="sm" aria-label="Clear the selection" onClick={clear} />
    </section>
  );
}
