import type {
  AcknowledgedTask,
  EventRow,
  Evidence,
  TaskRow,
  Usage,
} from '../src/check/evidence.ts';
import type { End } from '../src/clients/end.ts';
import { digest } from '../src/plan/expected.ts';
import type { PlannedTask, TaskKind } from '../src/plan/task-plan.ts';

export function planned(kind: TaskKind, over: Partial<PlannedTask> = {}): PlannedTask {
  return {
    index: 1,
    atMs: 0,
    kind,
    era: 'legacy',
    principal: 0,
    tool: 'chaos_answer',
    arguments: { value: 1, steps: 2 },
    ttlMs: null,
    cancelAfterMs: kind === 'cancelled' ? 100 : null,
    idempotencyKey: 'key',
    ...over,
  };
}

export const resultOf = (structured: Record<string, unknown>): End => ({
  kind: 'result',
  structured,
  text: JSON.stringify(structured),
  isError: false,
});

/** What a short task of value 1 answers. */
export const ANSWER = resultOf({ answer: digest('1') });

export const event = (
  kind: string,
  attempt: number | null = null,
  data: Record<string, unknown> = {},
): EventRow => ({ taskId: 't', kind, attempt, data });

export const row = (over: Partial<TaskRow> = {}): TaskRow => ({
  id: 't',
  principal: 0,
  state: 'finished',
  outcomeKind: 'result',
  attempt: 1,
  failures: 0,
  lost: 0,
  maxAttempts: 1,
  finishedAtMs: 1_000,
  hasResult: true,
  tool: 'chaos_answer',
  value: 1,
  ...over,
});

export const task = (over: Partial<AcknowledgedTask> = {}): AcknowledgedTask => ({
  plan: planned('short'),
  taskId: 't',
  cancel: null,
  seen: ANSWER,
  final: ANSWER,
  ...over,
});

const USAGE: Usage = { postgresConnections: 20, redisConnections: 20, rssMiB: { 'api-0': 100 } };

/** A run of one short task in which nothing went wrong, but for what is planted. */
export const evidence = (over: Partial<Evidence> = {}): Evidence => ({
  tasks: [task()],
  held: [{ plan: planned('held'), end: ANSWER }],
  refused: [],
  rows: [row()],
  events: [event('created'), event('started', 1), event('finished', 1)],
  orphans: [],
  effects: new Map(),
  redisKeys: [{ key: 'longshore:longshore-default:meta', ttlMs: null }],
  before: USAGE,
  after: USAGE,
  looks: [{ taskId: 't', owner: 0, by: 1, end: { kind: 'not_found' }, how: 'get' }],
  misbehaved: [],
  ...over,
});
