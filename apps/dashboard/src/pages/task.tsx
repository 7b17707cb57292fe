import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { API, isProblem } from '../api/client.ts';
import { hasEnded } from '../api/has-ended.ts';
import { taskOf } from '../api/queries.ts';
import type { TaskDetail } from '../api/types.ts';
import { PhaseMark } from '../parts/icons.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { useMe } from '../parts/me.tsx';
import { Facts, Page, Panel } from '../parts/page.tsx';
import { Progress } from '../parts/progress.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { shortId } from '../parts/task-table.tsx';
import { TaskTree } from '../parts/task-tree.tsx';
import { Moment, Span } from '../parts/times.tsx';
import { TASK_TABS, type TaskTab } from '../state/searches.ts';
import { bytesText, durationText } from '../state/time-text.ts';
import { BatchTab } from './batch-tab.tsx';
import { TaskActions } from './task-actions.tsx';
import { OutcomeTab } from './task-outcome.tsx';
import { Questions } from './task-questions.tsx';
import { Timeline } from './task-timeline.tsx';

export function TaskPage() {
  const { id } = useParams({ from: '/tasks/$id' });
  const { data: task, error, refetch } = useQuery(taskOf(id));
  if (task === undefined)
    return (
      <Page title={`Task ${shortId(id)}`}>
        {error === null && <Loading />}
        {isProblem(error, 404) && (
          <Empty title="There is no such task">
            <p>
              It was never here, it is another's, or its time was over: an ended task is kept for
              its ttl, then deleted.
            </p>
            <Link to="/tasks">To the tasks</Link>
          </Empty>
        )}
        {error !== null && !isProblem(error, 404) && (
          <Failure error={error} again={() => void refetch()} />
        )}
      </Page>
    );
  return (
    <Page title={task.tool === '' ? task.method : task.tool} aside={<TaskActions task={task} />}>
      {isProblem(error, 404) && (
        <p className="banner" role="alert">
          This task was deleted: its time was over. This is what it was.
        </p>
      )}
      <div className="tools" style={{ marginBottom: 12 }}>
        <PhaseMark phase={task.phase} />
        <span className="mono soft">{task.id}</span>
        {!hasEnded(task) && <Progress of={task.progress} />}
        {task.progress?.message != null && !hasEnded(task) && (
          <span className="soft">{task.progress.message}</span>
        )}
      </div>
      {task.waitsFor !== null && task.questions.length === 0 && (
        <p className="banner calm" role="status">
          <strong>It waits for</strong> {task.waitsFor}
        </p>
      )}
      {task.phase === 'failed' && task.message !== null && (
        <p className="banner">
          <strong>Error:</strong> <span className="cut">{task.message}</span>
        </p>
      )}
      {task.questions.length > 0 && <Questions task={task} />}
      <div className="wide-left">
        <TaskTabs task={task} />
        <Panel title="Facts">
          <TaskFacts task={task} />
        </Panel>
      </div>
    </Page>
  );
}

const TAB_WORDS: Readonly<Record<TaskTab, string>> = {
  outcome: 'Result',
  arguments: 'Arguments',
  timeline: 'Time line',
  batch: 'Batch',
  children: 'Started by it',
  files: 'Files',
};

function TaskTabs({ task }: { task: TaskDetail }) {
  const search = useSearch({ from: '/tasks/$id' });
  const navigate = useNavigate();
  const has: Readonly<Record<TaskTab, boolean>> = {
    outcome: task.hasResult || task.phase === 'failed',
    arguments: true,
    timeline: true,
    batch: task.batches.length > 0,
    children: task.hasChildren,
    files: task.files.length > 0,
  };
  const first: TaskTab = has.batch
    ? 'batch'
    : has.outcome
      ? 'outcome'
      : hasEnded(task)
        ? 'arguments'
        : 'timeline';
  const wanted = search.tab !== undefined && has[search.tab] ? search.tab : first;
  return (
    <Tabs
      value={wanted}
      keepMounted={false}
      onChange={(tab) =>
        void navigate({
          to: '/tasks/$id',
          params: { id: task.id },
          search: { ...search, tab: TASK_TABS.find((one) => one === tab) },
          replace: true,
          resetScroll: false,
        })
      }
    >
      <Tabs.List mb="sm" aria-label="Of this task">
        {TASK_TABS.filter((tab) => has[tab]).map((tab) => (
          <Tabs.Tab key={tab} value={tab}>
            {TAB_WORDS[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="outcome">
        <OutcomeTab task={task} />
      </Tabs.Panel>
      <Tabs.Panel value="arguments">
        <JsonView value={task.arguments} label="Arguments" />
      </Tabs.Panel>
      <Tabs.Panel value="timeline">
        <Timeline task={task} />
      </Tabs.Panel>
      <Tabs.Panel value="batch">
        <BatchTab task={task} />
      </Tabs.Panel>
      <Tabs.Panel value="children">
        <TaskTree task={task} />
      </Tabs.Panel>
      <Tabs.Panel value="files">
        <Files task={task} />
      </Tabs.Panel>
    </Tabs>
  );
}

function TaskFacts({ task }: { task: TaskDetail }) {
  const me = useMe();
  const { principal, workerId, parentId } = task;
  return (
    <Facts
      of={[
        [
          'Queue',
          <Link key="queue" to="/tasks" search={{ queue: [task.queue] }}>
            {task.queue}
          </Link>,
        ],
        [
          'Principal',
          principal !== null &&
            (me.seesAll ? (
              <Link to="/tasks" search={{ principal: principal.id }}>
                {principal.subject}
              </Link>
            ) : (
              principal.subject
            )),
        ],
        ['Made', <Moment key="made" at={task.createdAt} />],
        ['Started', task.startedAt && <Moment at={task.startedAt} />],
        ['Ended', task.finishedAt && <Moment at={task.finishedAt} />],
        [
          'Waited',
          <Span key="waited" from={task.createdAt} to={task.startedAt ?? task.finishedAt} />,
        ],
        ['Ran', task.startedAt && <Span from={task.startedAt} to={task.finishedAt} />],
        ['Due', task.runAfter && !hasEnded(task) && <Moment at={task.runAfter} />],
        ['Attempt', `${task.attempt} of ${task.maxAttempts}, ${task.failures} failed`],
        ['Workers lost', task.lostWorkers > 0 && String(task.lostWorkers)],
        [
          'Worker',
          workerId !== null &&
            (me.seesAll ? (
              <Link to="/workers/$id" params={{ id: workerId }} className="mono">
                {shortId(workerId)}
              </Link>
            ) : (
              <span className="mono">{shortId(workerId)}</span>
            )),
        ],
        [
          'Started by',
          parentId !== null && (
            <Link to="/tasks/$id" params={{ id: parentId }} className="mono">
              {shortId(parentId)}
            </Link>
          ),
        ],
        ['Version', task.toolVersion],
        ['Time-out', durationText(task.timeoutMs)],
        ['Deadline', task.deadlineAt && <Moment at={task.deadlineAt} />],
        ['Kept until', task.expiresAt && <Moment at={task.expiresAt} />],
        ['Idempotency key', task.idempotencyKey],
        [
          'Asked by',
          `${task.method}, ${task.era === 'modern' ? '2026-07-28' : '2025-11-25 or earlier'}`,
        ],
      ].map(([name, value]) => [String(name), value === false ? null : value])}
    />
  );
}

function Files({ task }: { task: TaskDetail }) {
  return (
    <ul>
      {task.files.map(({ name, mimeType, size }) => (
        <li key={name}>
          <a href={`${API}/tasks/${task.id}/files/${encodeURIComponent(name)}`} download>
            {name}
          </a>{' '}
          <span className="soft">
            {mimeType}, {bytesText(size)}
          </span>
        </li>
      ))}
    </ul>
  );
}
