import { expect, skip } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import { declaresTasks, REVISION, taskSupportOf } from '../scene/server-facts.ts';
import { at, isObject, show } from '../wire/json.ts';

/** The revision before tasks. */
const OLDER_REVISION = '2025-06-18';
const METHOD_NOT_FOUND = -32601;

export const NEGOTIATION_CHECKS: readonly Check[] = [
  {
    id: 'lifecycle-version-echo',
    verifies: 'lifecycle-version-echo',
    needs: [],
    withoutTasks: true,
    async run(scene) {
      const { version } = await scene.open();
      expect(version === REVISION, `asked for ${REVISION}, got ${version}`);
    },
  },
  {
    id: 'tasks-capability-declared',
    verifies: 'tasks-capability-declared',
    needs: [],
    run: () => Promise.resolve(),
  },
  {
    id: 'tasks-capability-shape',
    verifies: 'tasks-capability-shape',
    needs: [],
    async run({ facts }) {
      const { tasks } = facts.capabilities;
      const members = [
        ['tasks'],
        ['tasks', 'list'],
        ['tasks', 'cancel'],
        ['tasks', 'requests'],
        ['tasks', 'requests', 'tools'],
        ['tasks', 'requests', 'tools', 'call'],
      ];
      for (const path of members) {
        const member = at(facts.capabilities, ...path);
        const absent = member === undefined && path.length === 2;
        expect(absent || isObject(member), `${path.join('.')} is no object in ${show(tasks)}`);
      }
    },
  },
  {
    id: 'tasks-undeclared-ignored',
    verifies: 'tasks-undeclared-ignored',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open({ version: OLDER_REVISION });
      if (session.version !== OLDER_REVISION) {
        skip(`the server does not speak ${OLDER_REVISION}`);
      }
      const capabilities = session.initialized['capabilities'];
      if (isObject(capabilities) && declaresTasks(capabilities, 'requests', 'tools', 'call')) {
        skip(`the server declares tasks at ${OLDER_REVISION}, which does not know them`);
      }
      const { result, error } = await session.call('tools/call', {
        ...scene.call('slow', { ms: 0 }),
        task: { ttl: 60_000 },
      });
      expect(
        Array.isArray(result?.['content']) && result['task'] === undefined,
        `a call with params.task at ${OLDER_REVISION} answered ${show(result ?? error)}`,
      );
    },
  },
  {
    id: 'tasks-tool-support-values',
    verifies: 'tasks-tool-support-values',
    needs: [],
    withoutTasks: true,
    async run({ facts }) {
      for (const [name, tool] of facts.tools) {
        const support = taskSupportOf(tool);
        expect(
          support === 'required' || support === 'optional' || support === 'forbidden',
          `tool ${name} has execution.taskSupport ${show(support)}`,
        );
      }
    },
  },
  {
    id: 'tasks-tool-forbidden',
    verifies: 'tasks-tool-forbidden',
    needs: ['forbidden'],
    async run(scene) {
      const session = await scene.open();
      const { result, error } = await session.call('tools/call', {
        ...scene.call('forbidden'),
        task: { ttl: 60_000 },
      });
      expect(error?.code === METHOD_NOT_FOUND, `answered ${show(result ?? error)}, not -32601`);
    },
  },
  {
    id: 'tasks-tool-required',
    verifies: 'tasks-tool-required',
    needs: ['required'],
    async run(scene) {
      const session = await scene.open();
      const { result, error } = await session.call('tools/call', scene.call('required'));
      expect(error?.code === METHOD_NOT_FOUND, `answered ${show(result ?? error)}, not -32601`);
    },
  },
  {
    id: 'tasks-plain-call-direct',
    verifies: 'tasks-plain-call-direct',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const { result } = await session.call('tools/call', scene.call('slow', { ms: 0 }));
      if (result === undefined) skip('the server answers plain calls with an error');
      expect(
        Array.isArray(result['content']) && result['task'] === undefined,
        `a call without params.task answered ${show(result)}`,
      );
    },
  },
];
