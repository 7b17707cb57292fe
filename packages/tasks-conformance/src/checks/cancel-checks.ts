import { expect, skip, verify } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import type { Scene } from '../scene/scene.ts';
import type { StartedTask } from '../tasks/started-task.ts';
import { isTerminal } from '../tasks/started-task.ts';
import { show } from '../wire/json.ts';
import { pause, settlesWithin } from '../wire/waiting.ts';

const INVALID_PARAMS = -32602;

export const CANCEL_CHECKS: readonly Check[] = [
  {
    id: 'tasks-cancel-first',
    verifies: 'tasks-cancel-first',
    needs: ['slow'],
    operations: ['cancel'],
    async run(scene) {
      const task = await scene.startLong(await scene.open());
      const { result, error } = await task.cancel();
      expect(
        result?.['taskId'] === task.id && result['status'] === 'cancelled',
        `tasks/cancel answered ${show(result ?? error)}, no task that is cancelled`,
      );
      await expectCancelled(task, 'right after tasks/cancel');
    },
  },
  ...(['completed', 'failed', 'cancelled'] as const).map(
    (status): Check => ({
      id: `tasks-cancel-terminal/${status}`,
      verifies: 'tasks-cancel-terminal',
      needs: status === 'failed' ? ['fail'] : ['slow'],
      operations: ['cancel'],
      async run(scene) {
        const session = await scene.open();
        const task =
          status === 'cancelled'
            ? await scene.startLong(session)
            : await scene.startAndEnd(session, status === 'failed' ? 'fail' : 'slow');
        if (status === 'cancelled') await task.cancel();
        const { result, error } = await task.cancel();
        expect(
          error?.code === INVALID_PARAMS,
          `tasks/cancel of a task that is ${status} answered ${show(result ?? error)}`,
        );
      },
    }),
  ),
  {
    id: 'tasks-cancel-sticks',
    verifies: 'tasks-cancel-sticks',
    needs: ['slow'],
    operations: ['cancel'],
    async run(scene) {
      const session = await scene.open();
      let ms = scene.timing.taskMs;
      let task = await scene.start(session, 'slow', { ms });
      // Cancelled too late, the next one takes longer.
      while ((await task.cancel()).error !== undefined) {
        ms *= 2;
        if (ms > scene.longMs) skip('every task had ended before it could be cancelled');
        task = await scene.start(session, 'slow', { ms });
      }
      await pause(ms, scene.signal);
      await scene.settle();
      await expectCancelled(task, 'after the time its work takes');
    },
  },
  {
    id: 'cancellation-not-for-tasks/result',
    verifies: 'cancellation-not-for-tasks',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const startedAt = performance.now();
      const task = await scene.startLong(session);
      const waiting = task.request();
      await settlesWithin(waiting.opened, scene.timing.settleMs, scene.signal);
      await session.notify('notifications/cancelled', { requestId: waiting.id });
      await expectAlive(scene, task, startedAt, 'notifications/cancelled of a tasks/result');
    },
  },
  {
    id: 'cancellation-not-for-tasks/call',
    verifies: 'cancellation-not-for-tasks',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const startedAt = performance.now();
      const task = await scene.startLong(session);
      await session.notify('notifications/cancelled', { requestId: task.requestId });
      await expectAlive(scene, task, startedAt, 'notifications/cancelled of the call that made it');
    },
  },
  {
    id: 'cancellation-no-response',
    verifies: 'cancellation-no-response',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const task = await scene.startLong(session);
      const waiting = task.request();
      await settlesWithin(waiting.opened, scene.timing.settleMs, scene.signal);
      await scene.settle();
      const early = waiting.answer;
      verify(early === null, 'tasks-result-blocks', `tasks/result answered ${show(early)} at once`);
      await session.notify('notifications/cancelled', { requestId: waiting.id });
      await scene.settle();
      const { answer } = waiting;
      expect(answer === null, `a withdrawn tasks/result was answered ${show(answer)}`);
    },
  },
  {
    id: 'cancellation-invalid-ignored',
    verifies: 'cancellation-invalid-ignored',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const task = await scene.startAndEnd(session);
      for (const params of [{ requestId: 'nobody asked' }, { requestId: task.requestId }, {}]) {
        const { status } = await session.notify('notifications/cancelled', params);
        expect(status < 500, `HTTP ${status} for notifications/cancelled ${show(params)}`);
        const { result } = await session.call('ping');
        expect(result !== undefined, `no ping after notifications/cancelled ${show(params)}`);
      }
    },
  },
];

/** The server may delete a cancelled task at once; it must not be anything else than cancelled. */
async function expectCancelled(task: StartedTask, when: string): Promise<void> {
  const { result, error } = await task.session.call('tasks/get', { taskId: task.id });
  if (error?.code === INVALID_PARAMS) return;
  verify(
    result?.['taskId'] === task.id,
    'tasks-get-task',
    `tasks/get answered ${show(result ?? error)}`,
  );
  expect(result['status'] === 'cancelled', `${when}, the task is ${show(result['status'])}`);
}

/** @param startedAt before the task was, by `performance.now()` */
async function expectAlive(
  scene: Scene,
  task: StartedTask,
  startedAt: number,
  what: string,
): Promise<void> {
  await scene.settle();
  const { status } = await task.get();
  const hadTime = performance.now() - startedAt >= scene.longMs;
  if (status === 'completed' && hadTime) skip('the task was seen too late: it had ended by itself');
  expect(!isTerminal(status), `after ${what} the task is ${show(status)}`);
}
