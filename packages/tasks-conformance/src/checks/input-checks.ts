import { expect, skip } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import type { Scene } from '../scene/scene.ts';
import { isTerminal } from '../tasks/started-task.ts';
import { show } from '../wire/json.ts';
import { relatedTask } from '../wire/session.ts';
import { settlesWithin } from '../wire/waiting.ts';
import {
  type AskedTask,
  acceptWith,
  generated,
  INPUT_METHODS,
  type InputRole,
  isQuestion,
  startAsked,
  startAsking,
  textOf,
} from './input-requests.ts';

/** Checks that are the same for elicitation and sampling. */
const FOR_BOTH: readonly Check[] = (['elicit', 'sample'] as const).flatMap((role) => [
  {
    id: `tasks-input-required/${role}`,
    verifies: 'tasks-input-required',
    needs: [role],
    async run(scene) {
      const { task } = await startAsked(scene, role);
      await task.until(({ status }) => status === 'input_required', 'status input_required');
    },
  },
  {
    id: `tasks-input-related-task/${role}`,
    verifies: 'tasks-input-related-task',
    needs: [role],
    async run(scene) {
      const { task, question } = await startAsked(scene, role);
      expect(
        relatedTask(question.message) === task.id,
        `${INPUT_METHODS[role]} of task ${task.id} has ${show(question.message.params?.['_meta'])}`,
      );
    },
  },
  {
    id: `tasks-input-delivered/${role}`,
    verifies: 'tasks-input-delivered',
    needs: [role],
    async run(scene) {
      await startAsked(scene, role);
    },
  },
  {
    id: `tasks-input-on-result/${role}`,
    verifies: 'tasks-input-on-result',
    needs: [role],
    async run(scene) {
      const session = await scene.open();
      const task = await startAsking(scene, session, role);
      const waiting = task.request();
      const isHere = isQuestion(session, task, role);
      const question = session.first(isHere, { what: 'its question' }).catch(() => {});
      const breaks = 'tasks-input-delivered';
      // On a slow machine the check's time may be over before half of it has passed here.
      if (await settlesWithin(question, scene.timing.timeoutMs / 2, scene.signal, breaks)) return;
      // Does it come on a GET stream, or not at all?
      await session.listen();
      const { stream } = await session.first(isHere, {
        what: `${INPUT_METHODS[role]} of task ${task.id}`,
        breaks,
      });
      expect(stream === waiting.stream, `${INPUT_METHODS[role]} waited for a GET stream`);
    },
  },
  {
    id: `transport-no-broadcast/${role}`,
    verifies: 'transport-no-broadcast',
    needs: [role],
    async run(scene) {
      const { session, task, question } = await startAsked(scene, role, 2);
      await scene.settle();
      const streams = session.inbox.received
        .filter(isQuestion(session, task, role))
        .filter(({ message }) => message.id === question.message.id)
        .map(({ stream }) => stream);
      expect(
        new Set(streams).size === 1,
        `${INPUT_METHODS[role]} ${show(question.message.id)} came on ${streams.length} streams`,
      );
    },
  },
  {
    id: `tasks-input-resumes/${role}`,
    verifies: 'tasks-input-resumes',
    needs: [role],
    async run(scene) {
      const asked = await startAsked(scene, role);
      await answer(asked, role, 'Ada');
      await asked.task.until(
        ({ status }) => status !== 'input_required',
        'the task to leave input_required after its input came',
      );
    },
  },
  {
    id: `lifecycle-negotiated-capabilities/${role}`,
    verifies: 'lifecycle-negotiated-capabilities',
    needs: [role],
    async run(scene) {
      const session = await scene.open({ capabilities: {} });
      await session.listen();
      const task = await startAsking(scene, session, role);
      const waiting = task.request();
      await Promise.race([waiting.response.catch(() => {}), scene.settle(4)]);
      await scene.settle();
      const question = session.inbox.received.find(isQuestion(session, task, role));
      expect(
        question === undefined,
        `a client that did not declare it was sent ${INPUT_METHODS[role]}`,
      );
    },
  },
]);

export const INPUT_CHECKS: readonly Check[] = [
  ...FOR_BOTH,
  {
    id: 'tasks-result-blocks/input-required',
    verifies: 'tasks-result-blocks',
    needs: ['elicit'],
    async run(scene) {
      const { task, waiting } = await startAsked(scene, 'elicit');
      await scene.settle();
      const { status } = await task.get();
      if (isTerminal(status)) skip('the task did not wait for its input');
      expect(waiting.answer === null, `tasks/result answered ${show(waiting.answer)} before`);
    },
  },
  {
    id: 'tasks-client-undeclared',
    verifies: 'tasks-client-undeclared',
    needs: ['elicit'],
    async run(scene) {
      const { question } = await startAsked(scene, 'elicit');
      const params = question.message.params;
      expect(params?.['task'] === undefined, `elicitation/create has params ${show(params)}`);
    },
  },
  {
    id: 'elicitation-answer-used',
    verifies: 'elicitation-answer-used',
    needs: ['elicit'],
    run: (scene) => expectUsed(scene, 'elicit', `Ada ${crypto.randomUUID()}`),
  },
  {
    id: 'sampling-answer-used',
    verifies: 'sampling-answer-used',
    needs: ['sample'],
    run: (scene) => expectUsed(scene, 'sample', `generated ${crypto.randomUUID()}`),
  },
  ...(['decline', 'cancel', 'error'] as const).map(
    (action): Check => ({
      id: `elicitation-declined/${action}`,
      verifies: 'elicitation-declined',
      needs: ['elicit'],
      async run(scene) {
        const { session, task, questionId } = await startAsked(scene, 'elicit');
        await (action === 'error'
          ? session.refuse(questionId, -32603, 'the form could not be shown')
          : session.answer(questionId, { action }));
        await task.until(({ status }) => isTerminal(status), `the task to end after ${action}`);
      },
    }),
  ),
  {
    id: 'sampling-rejected',
    verifies: 'sampling-rejected',
    needs: ['sample'],
    async run(scene) {
      const { session, task, questionId } = await startAsked(scene, 'sample');
      await session.refuse(questionId, -1, 'User rejected sampling request');
      await task.until(({ status }) => isTerminal(status), 'the task to end after a rejection');
    },
  },
  {
    id: 'elicitation-bound',
    verifies: 'elicitation-bound',
    needs: ['elicit'],
    async run(scene) {
      if (scene.hasCredentials && !scene.hasOther) {
        skip('one set of credentials may be one user: give --other-header');
      }
      const { task, questionId } = await startAsked(scene, 'elicit');
      const other = await scene.openOther();
      const stolen = `Mallory ${crypto.randomUUID()}`;
      await other.answer(questionId, acceptWith(stolen));
      await scene.settle();
      const { status } = await task.get();
      expect(
        !isTerminal(status) || !textOf((await task.outcome()).result).includes(stolen),
        'the answer that another client posted counted',
      );
    },
  },
];

async function answer(asked: AskedTask, role: InputRole, text: string): Promise<void> {
  const { session, questionId } = asked;
  await session.answer(questionId, role === 'elicit' ? acceptWith(text) : generated(text));
}

async function expectUsed(scene: Scene, role: InputRole, text: string): Promise<void> {
  const asked = await startAsked(scene, role);
  await answer(asked, role, text);
  await asked.task.until(
    ({ status }) => isTerminal(status),
    'the task to end after its input came',
    'tasks-input-resumes',
  );
  const { result, error } = await asked.task.outcome();
  expect(textOf(result).includes(text), `the result has no "${text}": ${show(result ?? error)}`);
}
