import { expect, skip } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import type { Scene } from '../scene/scene.ts';
import type { Received } from '../wire/inbox.ts';
import { at, isObject, show } from '../wire/json.ts';
import { relatedTask } from '../wire/session.ts';
import { isTtl } from './creation-checks.ts';
import { progressOf, runWithProgress, runWithStatus } from './task-messages.ts';

export const MESSAGE_CHECKS: readonly Check[] = [
  {
    id: 'progress-original-token',
    verifies: 'progress-original-token',
    needs: ['slow'],
    async run(scene) {
      for (const token of [crypto.randomUUID(), 0]) {
        const { progress } = await runWithProgress(scene, token);
        for (const { message } of progress) {
          const sent = at(message.params, 'progressToken');
          expect(sent === token, `progress has token ${show(sent)}, not ${show(token)}`);
        }
      }
    },
  },
  {
    id: 'progress-increases',
    verifies: 'progress-increases',
    needs: ['slow'],
    async run(scene) {
      const { progress } = await runWithProgress(scene, crypto.randomUUID());
      for (const stream of new Set(progress.map((received) => received.stream))) {
        const values = progress
          .filter((received) => received.stream === stream)
          .map(({ message }) => at(message.params, 'progress'));
        expect(areIncreasing(values), `progress values on one stream are ${show(values)}`);
      }
    },
  },
  {
    id: 'progress-stops',
    verifies: 'progress-stops',
    needs: ['slow'],
    async run(scene) {
      const token = crypto.randomUUID();
      const { task, progress } = await runWithProgress(scene, token);
      await scene.settle(2);
      const late = progressOf(task, token).slice(progress.length);
      expect(late.length === 0, `progress after the end: ${show(late[0]?.message.params)}`);
    },
  },
  {
    id: 'progress-active-token',
    verifies: 'progress-active-token',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      await session.listen();
      const task = await scene.start(session, 'slow', { ms: scene.timing.taskMs, steps: 4 });
      await task.outcome();
      await scene.settle();
      const progress = progressOf(task, undefined);
      expect(
        progress.length === 0,
        `progress nobody gave a token for: ${show(progress[0]?.message.params)}`,
      );
    },
  },
  {
    id: 'tasks-related-task/progress',
    verifies: 'tasks-related-task',
    needs: ['slow'],
    async run(scene) {
      const { task, progress } = await runWithProgress(scene, crypto.randomUUID());
      for (const { message } of progress) {
        expect(
          relatedTask(message) === task.id,
          `progress of task ${task.id} has _meta ${show(at(message.params, '_meta'))}`,
        );
      }
    },
  },
  {
    id: 'tasks-related-task/log',
    verifies: 'tasks-related-task',
    needs: ['log'],
    async run(scene) {
      const { taskId, logs } = await runWithLog(scene);
      for (const { message } of logs) {
        expect(
          relatedTask(message) === taskId,
          `a log message of task ${taskId} has _meta ${show(at(message.params, '_meta'))}`,
        );
      }
    },
  },
  {
    id: 'logging-declared',
    verifies: 'logging-declared',
    needs: ['log'],
    async run(scene) {
      const { logs } = await runWithLog(scene);
      expect(
        isObject(scene.facts.capabilities['logging']),
        `no logging capability, but ${show(logs[0]?.message)}`,
      );
    },
  },
  {
    id: 'tasks-status-notification-full',
    verifies: 'tasks-status-notification-full',
    needs: ['slow'],
    async run(scene) {
      for (const { message } of await runWithStatus(scene)) {
        const task = message.params;
        const isFull =
          typeof at(task, 'status') === 'string' &&
          typeof at(task, 'createdAt') === 'string' &&
          typeof at(task, 'lastUpdatedAt') === 'string' &&
          isTtl(at(task, 'ttl'));
        expect(isFull, `a status notification has ${show(task)}, no whole task`);
      }
    },
  },
  {
    id: 'tasks-status-notification-no-related-task',
    verifies: 'tasks-status-notification-no-related-task',
    needs: ['slow'],
    async run(scene) {
      for (const { message } of await runWithStatus(scene)) {
        expect(
          relatedTask(message) === undefined,
          `a status notification has _meta ${show(at(message.params, '_meta'))}`,
        );
      }
    },
  },
];

async function runWithLog(scene: Scene): Promise<{ taskId: string; logs: Received[] }> {
  const session = await scene.open();
  await session.listen();
  if (isObject(scene.facts.capabilities['logging'])) {
    await session.call('logging/setLevel', { level: 'debug' });
  }
  const task = await scene.start(session, 'log');
  await task.outcome();
  await scene.settle();
  const logs = session.inbox.received.filter(
    ({ message }) =>
      message.method === 'notifications/message' &&
      (session.isOwn || relatedTask(message) === task.id),
  );
  if (logs.length === 0) skip('the server sent no notifications/message');
  return { taskId: task.id, logs };
}

function areIncreasing(values: readonly unknown[]): boolean {
  let last = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (typeof value !== 'number' || value <= last) return false;
    last = value;
  }
  return true;
}
