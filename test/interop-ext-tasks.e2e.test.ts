import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { ModernClient } from '@longshore/testing/mcp';
import {
  resultFromTaskOutcome,
  type SerializedTaskReference,
} from '@modelcontextprotocol/ext-tasks/client';
import { type InteropStack, startInteropStack } from './support/interop-stack.ts';
import { openTaskSession, parseJsonInThisRealm, type TaskSession } from './support/task-session.ts';

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const asTask = { task: { preference: 'prefer' } } as const;

/** `@modelcontextprotocol/ext-tasks`, unmodified, which hides the era from its application. */
function extTasks(mode: Mode): void {
  let interop: InteropStack;
  let restoreJson: () => void;

  beforeAll(async () => {
    restoreJson = parseJsonInThisRealm();
    interop = await startInteropStack({ mode });
  });
  afterAll(async () => {
    await interop.stop();
    restoreJson();
  });

  describe.each(['legacy', 'modern'] as const)('sessions of the %s era', (era) => {
    let own: TaskSession;

    beforeAll(async () => {
      own = await openTaskSession(interop.url, era);
    });
    afterAll(() => own.close());

    /** Starts a task and leaves it to whoever finds what the host has written down. */
    const leave = async (tool: string, args = {}): Promise<SerializedTaskReference> => {
      const first = await openTaskSession(interop.url, era);
      const execution = await first.session.callTool(tool, args, asTask);
      if (execution.kind !== 'task') throw new Error(`${tool} became no task`);
      let stored = '';
      await execution.handoff((reference) => {
        stored = JSON.stringify(reference);
      });
      await first.vanish();
      return JSON.parse(stored) as SerializedTaskReference;
    };

    it('know what the server offers', () => {
      expect(own.session.capabilities).toMatchObject({
        inventory: era === 'legacy' ? 'server-list' : 'known-handles',
        execution: true,
        cancellation: true,
        inputResponses: era === 'modern',
        requestedRetention: era === 'legacy',
      });
    });

    describe('settle', () => {
      it('a task, and see it come along', async () => {
        const seen: string[] = [];
        const execution = await own.session.callTool(
          'steps',
          { steps: 4, stepMs: 150 },
          { task: { preference: 'require' } },
        );
        expect(execution.kind).toBe('task');
        const { outcome } = await execution.settle({
          onEvent: (event) => {
            if (event.type === 'task') seen.push(event.task.statusMessage ?? event.task.status);
          },
        });
        expect(resultFromTaskOutcome(outcome)).toMatchObject({ structuredContent: { attempt: 1 } });
        expect(seen.filter((message) => message.endsWith('of 4 steps')).length).toBeGreaterThan(0);
        expect(outcome.task).toMatchObject({ status: 'completed' });
      });

      it('a call that never is a task', async () => {
        const execution = await own.session.callTool('never_task', {});
        expect(execution.kind).toBe('immediate');
        expect(resultFromTaskOutcome(await execution.result())).toMatchObject(text('done'));
      });

      it('a task that fails, each era in its way', async () => {
        const execution = await own.session.callTool('fail', { message: 'no paper' }, asTask);
        expect(await execution.result()).toMatchObject(
          era === 'legacy'
            ? { status: 'failed', error: { message: 'no paper' } }
            : { status: 'completed', result: { ...text('no paper'), isError: true } },
        );
      });

      it('a task that ends in a JSON-RPC error', async () => {
        const execution = await own.session.callTool('refuse', {}, asTask);
        expect(await execution.result()).toMatchObject({
          status: 'failed',
          error: { message: 'refused', ...(era === 'modern' ? { data: { reason: 'test' } } : {}) },
        });
      });

      it('a task of a tool that is nothing else', async () => {
        const execution = await own.session.callTool('task_only', {});
        expect(execution.kind).toBe('task');
        expect(resultFromTaskOutcome(await execution.result())).toMatchObject(text('done'));
      });

      it('a task they cancel', async () => {
        const execution = await own.session.callTool('hang', {}, asTask);
        await execution.cancel();
        expect(await execution.result()).toMatchObject({ status: 'cancelled' });
      });
    });

    describe('route questions of tasks to their application', () => {
      it.each([
        ['ask_user', 'elicitation/create', 'Hello, Ada!'],
        ['ask_page', 'elicitation/create', 'accept'],
        ['ask_model', 'sampling/createMessage', 'oracle: Paris'],
        ['ask_roots', 'roots/list', 'file:///work'],
      ])('%s', async (tool, method, answer) => {
        const { session, person, exchanges, errors, close } = await openTaskSession(
          interop.url,
          era,
        );
        const execution = await session.callTool(
          tool,
          {},
          { ...asTask, applicationContext: 'window 7' },
        );
        expect(resultFromTaskOutcome(await execution.result())).toMatchObject(text(answer));
        expect(person.asked.map((asked) => asked.method)).toEqual([method]);
        expect(exchanges).toEqual([
          {
            scope: 'task',
            delivery: era === 'legacy' ? 'peer-request' : 'task-update',
            taskId: execution.handle?.taskId,
            about: 'window 7',
          },
        ]);
        expect(errors).toEqual([]);
        await close();
      });

      it('also several at once, and of several tasks', async () => {
        const { session, person, exchanges, errors, close } = await openTaskSession(
          interop.url,
          era,
        );
        const executions = await Promise.all(
          ['left', 'right'].map((applicationContext) =>
            session.callTool('ask_all', {}, { ...asTask, applicationContext }),
          ),
        );
        for (const execution of executions) {
          expect(resultFromTaskOutcome(await execution.result())).toMatchObject({
            structuredContent: { name: 'Ada', capital: 'Paris', roots: ['file:///work'] },
          });
        }
        expect(person.asked).toHaveLength(6);
        for (const { handle, applicationContext: about } of executions) {
          const ofTask = exchanges.filter(({ taskId }) => taskId === handle?.taskId);
          expect(ofTask.map((exchange) => exchange.about)).toEqual([about, about, about]);
        }
        expect(errors).toEqual([]);
        await close();
      });

      it('that come before the task as well', async () => {
        const { session, exchanges, close } = await openTaskSession(interop.url, era);
        const execution = await session.callTool('ask_first', { workMs: 300 }, asTask);
        expect(execution.kind).toBe('task');
        expect(resultFromTaskOutcome(await execution.result())).toMatchObject(
          text('Done for Ada.'),
        );
        expect(exchanges).toMatchObject([
          era === 'legacy'
            ? { scope: 'task', delivery: 'peer-request' }
            : { scope: 'request', delivery: 'request-retry' },
        ]);
        await close();
      });

      it('and again when the answer did not fit', async () => {
        const { session, person, close } = await openTaskSession(interop.url, era);
        const answers = ['x', 'Grace'];
        person.elicit = () => ({ action: 'accept', content: { name: answers.shift() ?? '' } });
        const execution = await session.callTool('ask_user', {}, asTask);
        expect(resultFromTaskOutcome(await execution.result())).toMatchObject(
          text('Hello, Grace!'),
        );
        expect(person.asked).toHaveLength(2);
        await close();
      });
    });

    describe('find their tasks again after a restart of the host', () => {
      it('that still run', async () => {
        const reference = await leave('steps', { steps: 5, stepMs: 200 });
        const execution = await own.session.resumeTask(reference);
        const { outcome } = await execution.settle();
        expect(resultFromTaskOutcome(outcome)).toMatchObject({ structuredContent: { attempt: 1 } });
      });

      it('that have ended meanwhile', async () => {
        const reference = await leave('echo', { text: 'later' });
        await own.session.task(reference.taskId).result();
        const execution = await own.session.resumeTask(reference);
        expect(resultFromTaskOutcome(await execution.result())).toMatchObject({
          structuredContent: { text: 'later' },
        });
      });

      it('that wait for an answer', async () => {
        const reference = await leave('ask_user');
        // Not by the session under test: it would be asked itself, and say no to what it does not drive.
        const observer = new ModernClient([interop.url.href]).withTasks();
        const { taskId } = reference;
        await waitFor(
          async () =>
            (await observer.result('tasks/get', { taskId }))['status'] === 'input_required',
          { what: 'it asks' },
        );
        const { session, person, close } = await openTaskSession(interop.url, era);
        const execution = await session.resumeTask(reference);
        expect(resultFromTaskOutcome(await execution.result())).toMatchObject(text('Hello, Ada!'));
        expect(person.asked).toHaveLength(1);
        await close();
      });

      it('and cancel them', async () => {
        const reference = await leave('hang');
        await own.session.cancelTask(reference.taskId);
        const execution = await own.session.resumeTask(reference);
        expect(await execution.result()).toMatchObject({ status: 'cancelled' });
      });
    });

    it('keep a task as long as they are told', async () => {
      const execution = await own.session.callTool(
        'echo',
        { text: 'x' },
        { task: { preference: 'require', retentionMs: 90_000 } },
      );
      const { outcome } = await execution.settle();
      expect(outcome.task?.retentionMs).toBe(era === 'legacy' ? 90_000 : 86_400_000);
    });

    if (era === 'legacy') {
      it('list their tasks', async () => {
        const execution = await own.session.callTool('echo', { text: 'x' }, asTask);
        const { tasks } = await own.session.listTasks();
        expect(tasks.map((task) => task.taskId)).toContain(execution.handle?.taskId);
      });
    } else {
      it('answer by hand', async () => {
        const reference = await leave('ask_user');
        const task = own.session.task(reference.taskId);
        await waitFor(async () => (await task.snapshot()).status === 'input_required', {
          what: 'it asks',
        });
        await task.update({ name: { action: 'accept', content: { name: 'Hand' } } });
        expect(resultFromTaskOutcome(await task.result())).toMatchObject(text('Hello, Hand!'));
      });
    }

    it('had nothing to complain about', () => {
      expect(own.errors).toEqual([]);
      expect(Math.min(...interop.proxy.counts)).toBeGreaterThan(20);
    });
  });
}

describeInMode('ext-tasks', 'postgres', extTasks);
