import {
  type AnswerOutcome,
  type EventBus,
  type InputAnswer,
  type InputStore,
  type OwnedInput,
  type PendingInput,
  type PrincipalId,
  type RemoteTask,
  type Session,
  sessionTopic,
  type TaskId,
  taskTopic,
  workerTopic,
} from '@longshore/core';
import type { Reply } from '@longshore/protocol';
import { checkAnswer } from './check-answer.ts';
import { FormChecker } from './form-content.ts';

/** Takes the answers of clients, of both eras and on any replica, to the tools that asked. */
export class InputDesk {
  /** The questions themselves, for streams that put them to clients. */
  readonly store: InputStore;
  readonly #bus: EventBus;
  readonly #forms = new FormChecker();

  constructor(options: { store: InputStore; bus: EventBus }) {
    this.store = options.store;
    this.#bus = options.bus;
  }

  /** Questions that wait for an answer, oldest first; none when the task is unknown, foreign or ended. */
  pending(taskId: TaskId, owner: PrincipalId): Promise<PendingInput[]> {
    return this.store.pending(taskId, owner);
  }

  /**
   * Takes answers by key (2026-07-28 `inputResponses`), as many as there are; those of unknown and
   * answered questions are ignored. An answer that does not fit is stored as such: the tool asks again.
   *
   * @param answers raw results by key
   */
  async answer(
    taskId: TaskId,
    owner: PrincipalId,
    answers: Readonly<Record<string, unknown>>,
  ): Promise<AnswerOutcome> {
    const questions = await this.store.unanswered(taskId, owner, Object.keys(answers));
    const checked = new Map<string, InputAnswer>();
    for (const question of questions) {
      checked.set(question.key, checkAnswer(this.#forms, question, answers[question.key]));
    }
    return this.#settle(taskId, owner, checked);
  }

  /**
   * Takes the answer to one question, as a legacy client sends it: a result, or a JSON-RPC error.
   * @returns false when the question is answered meanwhile, or gone: the answer is ignored then
   */
  async answerOne(found: OwnedInput, owner: PrincipalId, raw: Reply): Promise<boolean> {
    const answer: InputAnswer =
      'error' in raw
        ? { kind: 'error', ...raw.error }
        : checkAnswer(this.#forms, found.input, raw.result);
    const outcome = await this.#settle(found.taskId, owner, new Map([[found.input.key, answer]]));
    return outcome.kind === 'answered' && outcome.keys.length > 0;
  }

  /**
   * Notes what is known of the task a legacy client made of a question.
   * @returns false when the question does not wait for an answer any more
   */
  async noteRemoteTask(
    { taskId, input }: OwnedInput,
    session: Session,
    remote: RemoteTask,
  ): Promise<boolean> {
    if (!(await this.store.setRemoteTask(input.id, session.principalId, remote))) return false;
    // The stream that has the question goes on from here.
    await this.#bus.publish(sessionTopic(session.id), { kind: 'changed', taskId });
    return true;
  }

  /** Stores answers, then wakes whoever waits: for the task, and the worker that asked. */
  async #settle(
    taskId: TaskId,
    owner: PrincipalId,
    answers: ReadonlyMap<string, InputAnswer>,
  ): Promise<AnswerOutcome> {
    const outcome = await this.store.answer(taskId, owner, answers);
    if (outcome.kind === 'answered' && outcome.keys.length > 0) {
      const { task, workerId } = outcome;
      await Promise.all([
        workerId === null
          ? null
          : this.#bus.publish(workerTopic(workerId), { kind: 'answered', taskId }),
        this.#bus.publish(taskTopic(task), { kind: 'changed', taskId }),
      ]);
    }
    return outcome;
  }
}
