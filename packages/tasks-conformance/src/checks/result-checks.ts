import { expect, skip } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import type { Scene } from '../scene/scene.ts';
import { isTerminal } from '../tasks/started-task.ts';
import { at, canonical, type JsonObject, show } from '../wire/json.ts';
import { relatedTask } from '../wire/session.ts';
import { inTime, settlesWithin } from '../wire/waiting.ts';
import { startWaited } from './waited-task.ts';

export const RESULT_CHECKS: readonly Check[] = [
  {
    id: 'tasks-result-terminal',
    verifies: 'tasks-result-terminal',
    needs: ['slow'],
    async run(scene) {
      const task = await scene.startAndEnd(await scene.open());
      const first = await task.outcome();
      expect(first.result !== undefined, `tasks/result answered ${show(first.error)}`);
      const second = await task.outcome();
      expect(
        canonical(second.result) === canonical(first.result),
        `asked again, tasks/result answered ${show(second.result ?? second.error)}`,
      );
    },
  },
  {
    id: 'tasks-result-blocks/working',
    verifies: 'tasks-result-blocks',
    needs: ['slow'],
    async run(scene) {
      const task = await scene.startLong(await scene.open());
      const waiting = task.request();
      const longMs = scene.timing.settleMs * 4;
      if (!(await settlesWithin(waiting.response, longMs, scene.signal))) return;
      const { status } = await task.get();
      expect(
        isTerminal(status),
        `tasks/result answered ${show(waiting.answer)} while the task was ${show(status)}`,
      );
    },
  },
  {
    id: 'tasks-result-blocks/cancelled',
    verifies: 'tasks-result-blocks',
    needs: ['slow'],
    operations: ['cancel'],
    async run(scene) {
      const task = await scene.startLong(await scene.open());
      const waiting = task.request();
      await settlesWithin(waiting.opened, scene.timing.settleMs, scene.signal);
      await task.cancel();
      await inTime(waiting.response, {
        signal: scene.signal,
        what: 'the end of a tasks/result whose task was cancelled meanwhile',
      });
    },
  },
  {
    id: 'tasks-result-exact/one',
    verifies: 'tasks-result-exact',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const plain = await session.call('tools/call', scene.call('slow', { ms: 1 }));
      if (!Array.isArray(plain.result?.['content'])) skip('a plain call has no result');
      const task = await scene.start(session, 'slow', { ms: 1 });
      const { result, error } = await task.outcome();
      expect(result !== undefined, `tasks/result answered ${show(error)}`);
      expect(
        canonical(withoutMeta(result)) === canonical(withoutMeta(plain.result)),
        `tasks/result answered ${show(result)}, a plain call ${show(plain.result)}`,
      );
    },
  },
  {
    id: 'tasks-result-tool-error',
    verifies: 'tasks-result-tool-error',
    needs: ['fail'],
    async run(scene) {
      const task = await scene.start(await scene.open(), 'fail');
      const { result, error } = await task.outcome();
      expect(result?.['isError'] === true, `tasks/result answered ${show(result ?? error)}`);
    },
  },
  {
    id: 'tasks-result-protocol-error',
    verifies: 'tasks-result-protocol-error',
    needs: ['protocol-error'],
    async run(scene) {
      const session = await scene.open();
      const task = await scene.start(session, 'protocol-error');
      const { result, error } = await task.outcome();
      expect(error !== undefined, `tasks/result answered ${show(result)}, no error`);
      const plain = await session.call('tools/call', scene.call('protocol-error'));
      if (isOnlyAsTask(scene)) return;
      const same =
        error.code === plain.error?.code &&
        error.message === plain.error.message &&
        includes(error.data, plain.error.data);
      expect(same, `tasks/result answered ${show(error)}, a plain call ${show(plain.error)}`);
    },
  },
  {
    id: 'tasks-result-related-task',
    verifies: 'tasks-result-related-task',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const ended = await scene.startAndEnd(session);
      const { task: running, waiting } = await startWaited(scene, session);
      const answers = [await ended.outcome()];
      for (const { response } of waiting) {
        const wait = { signal: scene.signal, what: 'the result of a task that ends' };
        answers.push(await inTime(response, wait));
      }
      for (const [index, answer] of answers.entries()) {
        const task = index === 0 ? ended : running;
        expect(
          relatedTask(answer) === task.id,
          `the result of ${task.id} has _meta ${show(answer.result?.['_meta'])}`,
        );
      }
    },
  },
  {
    id: 'tasks-result-parallel-get',
    verifies: 'tasks-result-parallel-get',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const task = await scene.startLong(session);
      const waiting = task.request();
      await settlesWithin(waiting.opened, scene.timing.settleMs, scene.signal);
      const { result, error } = await session.call('tasks/get', { taskId: task.id });
      expect(
        result?.['taskId'] === task.id,
        `while tasks/result waits, tasks/get answered ${show(result ?? error)}`,
      );
    },
  },
  {
    id: 'tasks-result-disconnect',
    verifies: 'tasks-result-disconnect',
    needs: ['slow'],
    async run(scene) {
      const task = await scene.startLong(await scene.open());
      const waiting = task.request();
      await settlesWithin(waiting.opened, scene.timing.settleMs, scene.signal);
      waiting.disconnect();
      await scene.settle();
      const { status } = await task.get();
      expect(!isTerminal(status), `after a disconnect the task is ${show(status)}`);
    },
  },
  {
    id: 'tasks-result-cancelled',
    verifies: 'tasks-result-cancelled',
    needs: ['slow'],
    operations: ['cancel'],
    async run(scene) {
      const task = await scene.startLong(await scene.open());
      await task.cancel();
      const { result, error } = await task.outcome();
      expect(error !== undefined, `the result of a cancelled task is ${show(result)}`);
    },
  },
];

function isOnlyAsTask(scene: Scene): boolean {
  const tool = scene.facts.tools.get(scene.toolName('protocol-error'));
  return at(tool, 'execution', 'taskSupport') === 'required';
}

function withoutMeta(result: JsonObject): JsonObject {
  const { _meta, ...rest } = result;
  return rest;
}

/** Whether `data` is `plain`, or `plain` and members more. */
function includes(data: unknown, plain: unknown): boolean {
  if (plain === undefined || canonical(data) === canonical(plain)) return true;
  const wanted = typeof plain === 'object' && plain !== null ? Object.entries(plain) : null;
  return wanted?.every(([key, value]) => canonical(at(data, key)) === canonical(value)) ?? false;
}
