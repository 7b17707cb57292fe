import { expect, skip } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import type { Scene } from '../scene/scene.ts';
import { isTerminal } from '../tasks/started-task.ts';
import { type JsonObject, show } from '../wire/json.ts';
import type { Session } from '../wire/session.ts';
import { pause } from '../wire/waiting.ts';
import { runWithStatus } from './task-messages.ts';

const INVALID_PARAMS = -32602;
/** A short ttl, in times of a usual task. */
const TTL_TASKS = 4;
const NEXT: Readonly<Record<string, readonly unknown[]>> = {
  working: ['working', 'input_required', 'completed', 'failed', 'cancelled'],
  input_required: ['input_required', 'working', 'completed', 'failed', 'cancelled'],
};

export const LIFE_CHECKS: readonly Check[] = [
  {
    id: 'tasks-transitions',
    verifies: 'tasks-transitions',
    needs: ['slow'],
    async run(scene) {
      const seen = await runWithStatus(scene);
      for (const stream of new Set(seen.map((received) => received.stream))) {
        let status: unknown = 'working';
        for (const { message } of seen.filter((received) => received.stream === stream)) {
          const next = message.params?.['status'];
          const legal = NEXT[String(status)]?.includes(next) ?? next === status;
          expect(legal, `a status notification says ${show(next)} after ${show(status)}`);
          status = next;
        }
      }
    },
  },
  {
    id: 'tasks-terminal-final',
    verifies: 'tasks-terminal-final',
    needs: ['slow'],
    async run(scene) {
      const task = await scene.startAndEnd(await scene.open());
      const { status } = await task.get();
      for (let look = 0; look < 5; look += 1) {
        const now = await task.get();
        expect(now['status'] === status, `was ${show(status)}, then ${show(now['status'])}`);
        await scene.settle(1 / 5);
      }
    },
  },
  {
    id: 'tasks-failed-tool-error',
    verifies: 'tasks-failed-tool-error',
    needs: ['fail'],
    async run(scene) {
      const { status } = await endOf(scene, 'fail');
      expect(status === 'failed', `a task with an isError result ended as ${show(status)}`);
    },
  },
  {
    id: 'tasks-failed-protocol-error',
    verifies: 'tasks-failed-protocol-error',
    needs: ['protocol-error'],
    async run(scene) {
      const { status } = await endOf(scene, 'protocol-error');
      expect(status === 'failed', `a task with a JSON-RPC error ended as ${show(status)}`);
    },
  },
  {
    id: 'tasks-failed-status-message',
    verifies: 'tasks-failed-status-message',
    needs: ['fail'],
    async run(scene) {
      const { statusMessage } = await endOf(scene, 'fail');
      expect(
        typeof statusMessage === 'string' && statusMessage.trim() !== '',
        `statusMessage of a failed task is ${show(statusMessage)}`,
      );
    },
  },
  {
    id: 'tasks-ttl-not-early',
    verifies: 'tasks-ttl-not-early',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      // On a slow machine or line the time may be over before anybody has looked: the next one has longer.
      for (let ttl = shortTtl(scene); ttl < scene.timing.timeoutMs / 2; ttl *= 2) {
        if (await livesFor(scene, session, ttl)) return;
      }
      skip('no answer came in the last quarter of a ttl');
    },
  },
  {
    id: 'tasks-expired-error',
    verifies: 'tasks-expired-error',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const { id } = await startShortLived(scene, session);
      const error = await untilGone(scene, session, id);
      if (error === null) skip('the server keeps a task beyond its ttl, as it may');
      expect(error.code === INVALID_PARAMS, `an expired task answers ${show(error)}, not -32602`);
    },
  },
  {
    id: 'tasks-expired-cleaned',
    verifies: 'tasks-expired-cleaned',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const { id, ttl } = await startShortLived(scene, session);
      const error = await untilGone(scene, session, id);
      expect(error !== null, `still there long after its ttl of ${ttl} ms`);
    },
  },
];

async function endOf(scene: Scene, role: 'fail' | 'protocol-error'): Promise<JsonObject> {
  const task = await scene.start(await scene.open(), role);
  return task.until(({ status }) => isTerminal(status), 'the task to end');
}

const shortTtl = (scene: Scene): number => scene.timing.taskMs * TTL_TASKS;

async function startShortLived(scene: Scene, session: Session, ttl = shortTtl(scene)) {
  const askedAt = performance.now();
  const { id, created } = await scene.start(session, 'slow', { ms: 0 }, { ttl });
  if (created['ttl'] !== ttl) skip(`the server grants no ttl of ${ttl} ms`);
  return { id, ttl, askedAt, createdAt: performance.now() };
}

/**
 * The age of the task when the server looked is not known, only its bounds: at least the time from the answer that
 * created it to the question, at most the time from the wish to the answer.
 *
 * @returns whether the task was surely there in the last quarter of its ttl @throws {Violation} when it was surely gone early
 */
async function livesFor(scene: Scene, session: Session, ttl: number): Promise<boolean> {
  const { id, askedAt, createdAt } = await startShortLived(scene, session, ttl);
  let seenMs = 0;
  while (performance.now() < askedAt + ttl) {
    const leastMs = performance.now() - createdAt;
    const { error } = await session.call('tasks/get', { taskId: id });
    const mostMs = Math.round(performance.now() - askedAt);
    expect(error === undefined || mostMs >= ttl, `gone after ${mostMs} of ${ttl} ms`);
    if (error === undefined) seenMs = leastMs;
    await pause(Math.min(scene.pollMs, ttl / 10), scene.signal);
  }
  return seenMs >= ttl * 0.75;
}

/** Waits until tasks/get answers an error; null when it does not, long after the ttl. */
async function untilGone(scene: Scene, session: Session, taskId: string) {
  const { taskMs, settleMs } = scene.timing;
  const until = performance.now() + taskMs * TTL_TASKS + settleMs * 10;
  for (;;) {
    const { error } = await session.call('tasks/get', { taskId });
    if (error !== undefined) return error;
    if (performance.now() > until) return null;
    await pause(scene.pollMs, scene.signal);
  }
}
