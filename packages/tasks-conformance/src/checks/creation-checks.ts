import { expect, skip, verify } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import { at, isObject, type JsonObject, show } from '../wire/json.ts';

const IMMEDIATE_RESPONSE = 'io.modelcontextprotocol/model-immediate-response';
const HUNDRED_YEARS_MS = 3_153_600_000_000;

export const CREATION_CHECKS: readonly Check[] = [
  {
    id: 'tasks-create-result/optional',
    verifies: 'tasks-create-result',
    needs: ['slow'],
    async run(scene) {
      await scene.start(await scene.open(), 'slow', { ms: 0 });
    },
  },
  {
    id: 'tasks-create-result/required',
    verifies: 'tasks-create-result',
    needs: ['required'],
    async run(scene) {
      await scene.start(await scene.open(), 'required');
    },
  },
  {
    id: 'tasks-create-no-result',
    verifies: 'tasks-create-no-result',
    needs: ['slow'],
    async run(scene) {
      const { result } = await scene.start(await scene.open(), 'slow', { ms: 0 });
      for (const member of ['content', 'structuredContent', 'isError']) {
        expect(result[member] === undefined, `CreateTaskResult has ${member}: ${show(result)}`);
      }
    },
  },
  {
    id: 'tasks-create-prompt',
    verifies: 'tasks-create-prompt',
    needs: ['slow'],
    async run(scene) {
      await scene.startLong(await scene.open());
    },
  },
  {
    id: 'tasks-create-without-ttl',
    verifies: 'tasks-create-without-ttl',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const params = { ...scene.call('slow', { ms: 0 }), task: {} };
      const { result, error } = await session.call('tools/call', params);
      expect(result !== undefined, `params.task = {} was refused: ${show(error)}`);
      verifyCreated(result);
    },
  },
  {
    id: 'tasks-create-immediate-response',
    verifies: 'tasks-create-immediate-response',
    needs: ['slow'],
    async run(scene) {
      const { result } = await scene.start(await scene.open(), 'slow', { ms: 0 });
      const text = at(result, '_meta', IMMEDIATE_RESPONSE);
      if (text === undefined) skip(`the server sends no ${IMMEDIATE_RESPONSE}`);
      expect(typeof text === 'string', `${IMMEDIATE_RESPONSE} is ${show(text)}`);
    },
  },
  {
    id: 'tasks-starts-working',
    verifies: 'tasks-starts-working',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      for (const ms of [0, scene.timing.taskMs]) {
        const { created } = await scene.start(session, 'slow', { ms });
        expect(
          created['status'] === 'working',
          `a new task of ${ms} ms is ${show(created['status'])}`,
        );
      }
    },
  },
  {
    id: 'tasks-max-ttl',
    verifies: 'tasks-max-ttl',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const params = { ...scene.call('slow', { ms: 0 }), task: { ttl: HUNDRED_YEARS_MS } };
      const { result } = await session.call('tools/call', params);
      // To refuse it is to enforce a maximum, too.
      if (result === undefined) return;
      verifyCreated(result);
      const ttl = at(result, 'task', 'ttl');
      expect(
        typeof ttl === 'number' && ttl < HUNDRED_YEARS_MS,
        `asked for ${HUNDRED_YEARS_MS} ms, granted ${show(ttl)}`,
      );
    },
  },
  {
    id: 'tasks-poll-interval',
    verifies: 'tasks-poll-interval',
    needs: ['slow'],
    async run(scene) {
      const task = await scene.start(await scene.open(), 'slow', { ms: 0 });
      const seen = [task.created, await task.get()].map((state) => state['pollInterval']);
      if (seen.every((interval) => interval === undefined)) {
        skip('the server suggests no pollInterval');
      }
      for (const interval of seen) {
        const fits = typeof interval === 'number' && interval > 0;
        expect(interval === undefined || fits, `pollInterval is ${show(interval)}`);
      }
    },
  },
  {
    id: 'tasks-ttl-reported',
    verifies: 'tasks-ttl-reported',
    needs: ['slow'],
    async run(scene) {
      const task = await scene.start(await scene.open(), 'slow', { ms: 0 });
      const { ttl } = await task.get();
      expect(isTtl(ttl), `ttl in tasks/get is ${show(ttl)}`);
      const granted = task.created['ttl'];
      verify(isTtl(granted), 'tasks-ttl-everywhere', `ttl of a new task is ${show(granted)}`);
      expect(ttl === granted, `ttl is ${show(granted)} when created, ${show(ttl)} in tasks/get`);
    },
  },
];

export function isTtl(value: unknown): boolean {
  return value === null || (typeof value === 'number' && value >= 0);
}

function verifyCreated(result: JsonObject): void {
  const isNested = isObject(result['task']);
  verify(isNested, 'tasks-create-result', `no CreateTaskResult but ${show(result)}`);
}
