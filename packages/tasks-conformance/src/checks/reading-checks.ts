import { expect, verify } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import type { Scene } from '../scene/scene.ts';
import { show } from '../wire/json.ts';
import { relatedTask } from '../wire/session.ts';
import { inTime } from '../wire/waiting.ts';

const INVALID_PARAMS = -32602;
const RELATED_TASK = 'io.modelcontextprotocol/related-task';

export const READING_CHECKS: readonly Check[] = [
  {
    id: 'tasks-get-task',
    verifies: 'tasks-get-task',
    needs: ['slow'],
    async run(scene) {
      const task = await scene.start(await scene.open(), 'slow', { ms: scene.timing.taskMs });
      const state = await task.get();
      expect(typeof state['status'] === 'string', `tasks/get answered ${show(state)}`);
    },
  },
  {
    id: 'tasks-get-no-stream',
    verifies: 'tasks-get-no-stream',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const { id } = await scene.startLong(session);
      const exchange = session.request('tasks/get', { taskId: id });
      const { contentType } = await inTime(exchange.opened, {
        signal: scene.signal,
        what: 'an answer to tasks/get',
      });
      expect(!contentType.startsWith('text/event-stream'), `tasks/get came as ${contentType}`);
    },
  },
  {
    id: 'tasks-answers-no-related-task',
    verifies: 'tasks-answers-no-related-task',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const { id } = await scene.startLong(session);
      const methods = [
        'tasks/get',
        ...(scene.declares('list') ? ['tasks/list'] : []),
        ...(scene.declares('cancel') ? ['tasks/cancel'] : []),
      ];
      for (const method of methods) {
        const answer = await session.call(method, method === 'tasks/list' ? {} : { taskId: id });
        expect(
          relatedTask(answer) === undefined,
          `the result of ${method} has ${RELATED_TASK} in its _meta`,
        );
      }
    },
  },
  {
    id: 'tasks-related-task-ignored',
    verifies: 'tasks-related-task-ignored',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const ended = await scene.startAndEnd(session);
      const running = await scene.startLong(session);
      const misleading = { taskId: ended.id, _meta: { [RELATED_TASK]: { taskId: running.id } } };
      const got = await session.call('tasks/get', misleading);
      expect(
        got.result?.['taskId'] === ended.id,
        `tasks/get took the task of ${RELATED_TASK}: ${show(got.result ?? got.error)}`,
      );
      const outcome = session.request('tasks/result', misleading);
      await inTime(outcome.response, {
        signal: scene.signal,
        what: `the result of an ended task asked for with the ${RELATED_TASK} of a running one`,
      });
      if (!scene.declares('cancel')) return;
      const cancelled = await session.call('tasks/cancel', {
        taskId: running.id,
        _meta: { [RELATED_TASK]: { taskId: ended.id } },
      });
      expect(
        cancelled.result?.['taskId'] === running.id,
        `tasks/cancel took the task of ${RELATED_TASK}: ${show(cancelled)}`,
      );
    },
  },
  ...(['get', 'result', 'cancel'] as const).map(unknownTaskCheck),
  {
    id: 'tasks-error-informative',
    verifies: 'tasks-error-informative',
    needs: [],
    async run(scene) {
      const session = await scene.open();
      const { error } = await session.call('tasks/get', { taskId: crypto.randomUUID() });
      verify(error !== undefined, 'tasks-unknown-task', 'an unknown task was found');
      expect(error.message.trim() !== '', 'the error of an unknown task has no message');
    },
  },
  {
    id: 'tasks-completed',
    verifies: 'tasks-completed',
    needs: ['slow'],
    async run(scene) {
      const task = await scene.start(await scene.open(), 'slow', { ms: 0 });
      const { status } = await task.untilEnded();
      expect(status === 'completed', `a task that succeeds ended as ${show(status)}`);
    },
  },
];

function unknownTaskCheck(operation: 'get' | 'result' | 'cancel'): Check {
  const method = `tasks/${operation}`;
  return {
    id: `tasks-unknown-task/${operation}`,
    verifies: 'tasks-unknown-task',
    needs: [],
    ...(operation === 'cancel' ? { operations: ['cancel'] } : {}),
    async run(scene: Scene) {
      const session = await scene.open();
      const unknown = [
        { taskId: crypto.randomUUID() },
        { taskId: 'no such task' },
        { taskId: '' },
        { taskId: 7 },
        {},
      ];
      for (const params of unknown) {
        const { result, error } = await session.call(method, params);
        expect(
          error?.code === INVALID_PARAMS,
          `${method} of ${show(params)} answered ${show(result ?? error)}, not -32602`,
        );
      }
    },
  };
}
