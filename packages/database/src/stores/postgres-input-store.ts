import type {
  AnswerOutcome,
  HeldQuestions,
  InputAnswer,
  InputRequestId,
  InputStore,
  OwnedInput,
  PendingInput,
  PrincipalId,
  QuestionLease,
  RemoteTask,
  TaskId,
} from '@longshore/core';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { storableText } from '../rows/storable-text.ts';
import { answerInputs } from '../statements/answer-inputs.ts';
import { findInput } from '../statements/find-input.ts';
import { findPendingInputs } from '../statements/find-pending-inputs.ts';
import { findSettledInputs } from '../statements/find-settled-inputs.ts';
import { findUnansweredInputs } from '../statements/find-unanswered-inputs.ts';
import { leaseInputs } from '../statements/lease-inputs.ts';
import { lockOwnedTask } from '../statements/lock-owned-task.ts';
import { renewInputLeases } from '../statements/renew-input-leases.ts';
import { setRemoteTask } from '../statements/set-remote-task.ts';
import { settleInputs } from '../statements/settle-inputs.ts';
import { unleaseInputs } from '../statements/unlease-inputs.ts';

export class PostgresInputStore implements InputStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async pending(taskId: TaskId, owner: PrincipalId): Promise<PendingInput[]> {
    return isUuid(taskId) ? findPendingInputs(this.#runner, taskId, owner) : [];
  }

  async unanswered(
    taskId: TaskId,
    owner: PrincipalId,
    keys: readonly string[],
  ): Promise<PendingInput[]> {
    // What Postgres can not hold is no key of ours.
    const possible = keys.filter((key) => storableText(key) === key);
    if (!isUuid(taskId) || possible.length === 0) return [];
    return findUnansweredInputs(this.#runner, taskId, owner, possible);
  }

  async find(id: InputRequestId, owner: PrincipalId): Promise<OwnedInput | null> {
    return isUuid(id) ? findInput(this.#runner, id, owner) : null;
  }

  async answer(
    taskId: TaskId,
    owner: PrincipalId,
    answers: ReadonlyMap<string, InputAnswer>,
  ): Promise<AnswerOutcome> {
    if (!isUuid(taskId)) return { kind: 'not_found' };
    return this.#runner.transaction('answer-inputs', async (runner): Promise<AnswerOutcome> => {
      const locked = await lockOwnedTask(runner, taskId, owner);
      if (locked === null) return { kind: 'not_found' };
      const keys = answers.size === 0 ? [] : await answerInputs(runner, taskId, answers);
      const { task, remaining } = await settleInputs(runner, taskId);
      return { kind: 'answered', task, keys, remaining, workerId: locked.workerId };
    });
  }

  async lease(
    taskId: TaskId,
    owner: PrincipalId,
    streamId: string,
    leaseMs: number,
  ): Promise<PendingInput[]> {
    if (!isUuid(taskId)) return [];
    return leaseInputs(this.#runner, { taskId, owner, streamId, leaseMs });
  }

  async renewLeases(leases: readonly QuestionLease[], leaseMs: number): Promise<HeldQuestions[]> {
    const found = await renewInputLeases(this.#runner, leases, leaseMs);
    return leases.map((_lease, position) => found.get(position) ?? { held: 0, free: 0 });
  }

  async unlease(streamId: string): Promise<void> {
    await unleaseInputs(this.#runner, streamId);
  }

  async settled(
    taskId: TaskId,
    owner: PrincipalId,
    ids: readonly InputRequestId[],
  ): Promise<Map<InputRequestId, 'answered' | 'withdrawn'>> {
    if (!isUuid(taskId) || !ids.every(isUuid)) return new Map();
    const settled = await findSettledInputs(this.#runner, taskId, owner, ids);
    return new Map(settled.map(({ id, fate }) => [id, fate]));
  }

  async setRemoteTask(
    id: InputRequestId,
    owner: PrincipalId,
    remote: RemoteTask,
  ): Promise<boolean> {
    return isUuid(id) && setRemoteTask(this.#runner, id, owner, remote);
  }
}
