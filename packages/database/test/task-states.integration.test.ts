import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Fence, TaskId } from '@longshore/core';
import fc from 'fast-check';
import { answersOf, question, reply } from './fixtures/question-factory.ts';
import {
  alter,
  CHUNK_POLICY,
  LEASE_MS,
  newPrincipalId,
  newTask,
  newTaskId,
  newWorkerId,
  RESULT,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;
beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());

const PICTURE = readFileSync(path.join(import.meta.dirname, '../../core/task-states.md'), 'utf8');

/** `[*]` of the picture: there is no row. */
const NOWHERE = '[*]';

/** What the picture has: its lines, and the states within a state. */
function readPicture(text: string): { lines: string[]; within: Map<string, string[]> } {
  const [, diagram = ''] = /```mermaid\n(.*?)```/s.exec(text) ?? [];
  const lines: string[] = [];
  const within = new Map<string, string[]>();
  const open: string[] = [];
  for (const line of diagram.split('\n').map((one) => one.trim())) {
    const [, outer] = /^state (\w+) \{$/.exec(line) ?? [];
    const [, from = '', to = ''] = /^(\S+) --> (\S+): \w+$/.exec(line) ?? [];
    if (outer !== undefined) open.push(outer);
    else if (line === '}') open.pop();
    else if (from !== '') {
      lines.push(line);
      for (const state of open) within.set(state, [...(within.get(state) ?? []), from, to]);
    }
  }
  return { lines, within };
}

const { lines, within } = readPicture(PICTURE);

/** States of rows that a name in the picture stands for. */
const statesOf = (name: string): string[] =>
  within.has(name) ? [...new Set(within.get(name))].flatMap(statesOf) : [name];

/** The lines that a step goes along, by `from edge to`. */
const drawn = new Map<string, string>(
  lines.flatMap((line) => {
    const [from = '', , to = '', edge = ''] = line.replace(':', '').split(' ');
    return statesOf(from).flatMap((one) =>
      statesOf(to).map((other): [string, string] => [`${one} ${edge} ${other}`, line]),
    );
  }),
);

interface Row {
  readonly id: TaskId;
  readonly place: string;
  /** What the table of the page says about the columns does not hold. */
  readonly is_wrong: boolean;
}

async function rows(ids: readonly TaskId[]): Promise<Map<TaskId, Row>> {
  const found = await stores.sql<Row & { [column: string]: unknown }>(
    `SELECT *, CASE place
         WHEN 'waiting' THEN enqueued_at IS NOT NULL OR state <> 'working'
         WHEN 'admitted' THEN state <> 'working'
         WHEN 'ended' THEN claimed_by IS NOT NULL
         ELSE enqueued_at IS NULL OR run_after IS NOT NULL OR attempt < 1
       END AS is_wrong
     FROM (
       SELECT t.*, CASE
         WHEN t.finished_at IS NOT NULL THEN 'ended'
         WHEN t.claimed_by IS NULL AND t.enqueued_at IS NULL THEN 'waiting'
         WHEN t.claimed_by IS NULL THEN 'admitted'
         WHEN t.lease_expires_at <= now() THEN 'lost'
         WHEN t.state = 'input_required' THEN 'asking'
         WHEN EXISTS (SELECT FROM tasks AS c WHERE c.parent_task_id = t.id AND c.finished_at IS NULL)
           THEN 'resting'
         ELSE 'running' END AS place
       FROM tasks AS t WHERE t.id = ANY ($1::uuid[])
     ) AS placed`,
    [ids],
  );
  return new Map(found.map((row) => [row.id, row]));
}

const WORKERS = [newWorkerId(), newWorkerId()] as const;

/** The tasks of one walk, and the latest claim of each. */
class Walk {
  readonly owner = newPrincipalId();
  readonly ids: TaskId[] = [];
  readonly #claims = new Map<TaskId, Fence>();

  async accept(_: TaskId, way: number): Promise<void> {
    const task = newTask({
      principalId: this.owner,
      enqueue: way % 2 === 0,
      outcome: way === 3 ? RESULT : null,
      maxAttempts: 100,
    });
    this.ids.push(task.id);
    await stores.taskStore.accept(task);
  }

  async admit(): Promise<void> {
    for (const queue of ['images', CHUNK_POLICY.queue]) {
      await stores.maintenanceStore.admit(queue, { depth: 1_000, most: 1_000, limit: 2 });
    }
  }

  unadmit = (id: TaskId): Promise<void> => stores.maintenanceStore.unadmit([id]);
  readmit = (): Promise<unknown> => stores.maintenanceStore.readmit(0, 100);

  async claim(id: TaskId, way: number): Promise<void> {
    // A retry that is not due would be refused, and mostly nothing would happen.
    if (way % 2 === 0) await alter(stores, id, 'run_after = NULL');
    const workerId = WORKERS[way % 2] ?? WORKERS[0];
    const outcome = await stores.attemptStore.claim(id, workerId, LEASE_MS);
    if (outcome.kind === 'claimed') this.#claims.set(id, outcome.claim);
  }

  heartbeat = (id: TaskId): Promise<unknown> =>
    this.#by(id, ({ attempt, workerId }) =>
      stores.attemptStore.heartbeat(workerId, LEASE_MS, [
        { taskId: id, attempt, progress: null, statusMessage: null },
      ]),
    );
  ask = (id: TaskId, way: number): Promise<unknown> =>
    this.#by(id, (fence) => stores.attemptStore.ask(fence, [question(`${fence.attempt}.${way}`)]));
  async answer(id: TaskId, way: number): Promise<void> {
    const open = await stores.inputStore.pending(id, this.owner);
    const keys = open.map(({ key }) => key);
    if (way > 0) {
      await stores.inputStore.answer(
        id,
        this.owner,
        answersOf(...keys.map((key) => [key, reply('x')] as [string, ReturnType<typeof reply>])),
      );
    } else {
      await this.#by(id, (fence) => stores.attemptStore.timeOutInputs(fence, keys));
    }
  }

  spawn = (id: TaskId): Promise<unknown> =>
    this.#by(id, async (fence) => {
      const child = newTaskId();
      const { toolName, queue, maxAttempts, timeoutMs, toolLimit } = CHUNK_POLICY;
      const sent = { id: child, toolName, queue, maxAttempts, timeoutMs, toolLimit, arguments: {} };
      if (await stores.batchStore.startChild(fence, sent)) this.ids.push(child);
    });
  release = (id: TaskId, way: number): Promise<unknown> =>
    this.#by(id, (fence) =>
      way > 0
        ? stores.attemptStore.release(fence)
        : stores.attemptStore.releaseUnconfirmed(id, fence.workerId, null),
    );
  retry = (id: TaskId, way: number): Promise<unknown> =>
    this.#by(id, (fence) =>
      stores.attemptStore.retry({ ...fence, error: 'no', retryInMs: way * 60_000 }),
    );
  finish = (id: TaskId): Promise<unknown> =>
    this.#by(id, (fence) =>
      stores.attemptStore.finish({
        ...fence,
        outcome: RESULT,
        toolVersion: null,
        progress: null,
        statusMessage: null,
      }),
    );
  cancel = (id: TaskId, way: number): Promise<unknown> =>
    way > 0 ? stores.taskStore.cancel(id, this.owner) : stores.maintenanceStore.cancelOrphans(100);
  async fail(id: TaskId): Promise<void> {
    await alter(stores, id, 'execution_deadline = now()');
    await stores.maintenanceStore.failOverdue(100, 100);
  }
  lose = async (id: TaskId): Promise<void> => {
    await stores.sql(
      "UPDATE tasks SET lease_expires_at = now() - interval '1 ms' WHERE id = $1 AND claimed_by IS NOT NULL",
      [id],
    );
  };
  async expire(id: TaskId): Promise<void> {
    await alter(stores, id, 'expires_at = now()');
    await stores.maintenanceStore.deleteExpired(100);
  }

  async #by(id: TaskId, act: (fence: Fence) => Promise<unknown>): Promise<unknown> {
    const fence = this.#claims.get(id);
    return fence && act(fence);
  }
}

/** Those that make a walk long come often, those that end it seldom. */
const EDGES = [
  ...(['accept', 'accept', 'accept', 'admit', 'unadmit', 'unadmit', 'readmit'] as const),
  ...(['claim', 'claim', 'claim', 'claim', 'heartbeat', 'heartbeat', 'ask', 'ask', 'ask'] as const),
  ...([
    'answer',
    'answer',
    'spawn',
    'spawn',
    'release',
    'retry',
    'finish',
    'cancel',
    'fail',
  ] as const),
  ...(['lose', 'lose', 'lose', 'expire'] as const),
] as const;

const STEPS = fc.array(
  fc.record({
    edge: fc.constantFrom(...EDGES),
    // Of the newest tasks, so that one goes a long way.
    task: fc.nat({ max: 3 }),
    way: fc.nat({ max: 3 }),
  }),
  { minLength: 60, maxLength: 90 },
);

type Step = (typeof EDGES)[number];

/** What a worker does whose lease was over, while nobody has taken its task: chance comes by here seldom. */
const LATE = (['release', 'retry', 'finish', 'heartbeat'] as const).map((last) =>
  (['claim', 'lose', last] as const).map((edge: Step) => ({ edge, task: 0, way: 0 })),
);

/** Walks at random. @returns the lines of the picture that were found */
async function walk(seed: number, numRuns: number): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const tasks = new Walk();
      await tasks.accept(newTaskId(), 0);
      let after = await rows(tasks.ids);
      for (const { edge, task, way } of steps) {
        const id = tasks.ids.at(-1 - task) ?? tasks.ids[0] ?? newTaskId();
        const before = after;
        await tasks[edge](id, way);
        after = await rows(tasks.ids);
        for (const one of tasks.ids) {
          const from = before.get(one)?.place ?? NOWHERE;
          const to = after.get(one)?.place ?? NOWHERE;
          expect({ state: to, is_wrong: after.get(one)?.is_wrong ?? false }).toEqual({
            state: to,
            is_wrong: false,
          });
          if (from === to) continue;
          // What another task's end does to its parent, and what a start does to the child.
          const name =
            from === 'resting' && one !== id
              ? 'join'
              : from === NOWHERE && edge === 'spawn'
                ? 'accept'
                : edge;
          const line = drawn.get(`${from} ${name} ${to}`);
          expect({ step: `${from} ${name} ${to}`, line }).toEqual({
            step: `${from} ${name} ${to}`,
            line: expect.any(String),
          });
          if (line !== undefined) found.add(line);
        }
      }
      for (const one of tasks.ids) await alter(stores, one, 'expires_at = now()');
      await stores.maintenanceStore.deleteExpired(1_000);
    }),
    { seed, numRuns, endOnFailure: true, examples: LATE.map((steps): [typeof steps] => [steps]) },
  );
  return found;
}

it('finds every line of the picture on walks that are always the same, and no other step', async () => {
  expect([...(await walk(20_261_122, 15))].sort()).toEqual([...lines].sort());
});

it('finds no other step on walks that are always new', async () => {
  expect((await walk(Math.trunc(Math.random() * 2 ** 31), 6)).size).toBeGreaterThan(0);
});
