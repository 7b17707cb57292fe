import {
  type AskedInput,
  type AttemptStore,
  type ClaimOutcome,
  type FailedAttempt,
  type Fence,
  type FinishedAttempt,
  type HeartbeatAnswer,
  type HeartbeatReport,
  type InputAnswer,
  type InputQuestion,
  type JsonValue,
  type LogMessage,
  type NewcomerTask,
  outcomeKind,
  type TaskId,
  type WorkerId,
} from '@longshore/core';
import * as z from 'zod';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { type DatabaseGroup, groupForDatabase } from '../grouping/group-for-database.ts';
import { answerColumn } from '../rows/input-row.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { outcomePayload } from '../rows/outcome-row.ts';
import { storableText } from '../rows/storable-text.ts';
import { answerInputs } from '../statements/answer-inputs.ts';
import { appendLogs } from '../statements/append-logs.ts';
import { type AskedRow, askInputs } from '../statements/ask-inputs.ts';
import { findCancelledTasks } from '../statements/find-cancelled-tasks.ts';
import { findNewcomers } from '../statements/find-newcomers.ts';
import { type FinishRow, finishTasks } from '../statements/finish-tasks.ts';
import { heartbeatTasks } from '../statements/heartbeat-tasks.ts';
import { lockAttempt } from '../statements/lock-attempt.ts';
import { releaseTask } from '../statements/release-task.ts';
import { type RetryRow, retryTasks } from '../statements/retry-tasks.ts';
import { setCheckpoint } from '../statements/set-checkpoint.ts';
import { settleInputs } from '../statements/settle-inputs.ts';
import { ClaimInTurn } from './claim-in-turn.ts';

const jsonValue = z.custom<JsonValue>((value) => value !== undefined);

export class PostgresAttemptStore implements AttemptStore {
  readonly #runner: PoolRunner;
  readonly #claims: ClaimInTurn;
  readonly #finishes: DatabaseGroup<FinishRow, boolean>;
  readonly #retries: DatabaseGroup<RetryRow, boolean>;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
    this.#claims = new ClaimInTurn(runner);
    this.#finishes = groupForDatabase({
      name: 'finishing tasks',
      keyOf: ({ id }) => id,
      weightOf: ({ payload, body }) => payload.length + (body?.length ?? 0),
      run: async (rows) => {
        const finished = await finishTasks(runner, rows);
        return rows.map(({ id }) => finished.has(id));
      },
    });
    this.#retries = groupForDatabase({
      name: 'retrying tasks',
      keyOf: ({ id }) => id,
      weightOf: ({ error }) => error.length,
      run: async (rows) => {
        const retried = await retryTasks(runner, rows);
        return rows.map(({ id }) => retried.has(id));
      },
    });
  }

  async claim(
    id: TaskId,
    workerId: WorkerId,
    leaseMs: number,
    pausedTools: readonly string[] = [],
  ): Promise<ClaimOutcome> {
    if (!isUuid(id)) return { kind: 'gone' };
    return this.#claims.claim({ id, workerId, leaseMs, pausedTools });
  }

  async heartbeat(
    workerId: WorkerId,
    leaseMs: number,
    reports: readonly HeartbeatReport[],
  ): Promise<HeartbeatAnswer> {
    if (reports.length === 0) return { held: new Set(), cancelled: new Set() };
    const held = await heartbeatTasks(this.#runner, workerId, leaseMs, reports);
    const lost = reports.filter(({ taskId }) => !held.has(taskId));
    const cancelled: ReadonlySet<TaskId> =
      lost.length === 0 ? new Set() : await findCancelledTasks(this.#runner, lost);
    return { held, cancelled };
  }

  async finish(attempt: FinishedAttempt): Promise<boolean> {
    return this.#finishes.call({
      id: attempt.taskId,
      attempt: attempt.attempt,
      workerId: attempt.workerId,
      outcomeKind: outcomeKind(attempt.outcome),
      toolVersion: attempt.toolVersion === null ? null : storableText(attempt.toolVersion),
      progress: attempt.progress,
      statusMessage: attempt.statusMessage,
      ...payloadOf(attempt),
    });
  }

  async retry(attempt: FailedAttempt): Promise<boolean> {
    return this.#retries.call({
      id: attempt.taskId,
      attempt: attempt.attempt,
      workerId: attempt.workerId,
      error: storableText(attempt.error),
      retryInMs: attempt.retryInMs,
    });
  }

  async release({ taskId, attempt, workerId }: Fence): Promise<boolean> {
    return releaseTask(this.#runner, taskId, { attempt, workerId });
  }

  async releaseUnconfirmed(
    taskId: TaskId,
    workerId: WorkerId,
    running: number | null,
  ): Promise<void> {
    await releaseTask(this.#runner, taskId, { workerId, running });
  }

  async newcomers(queue: string, limit: number): Promise<NewcomerTask[]> {
    return findNewcomers(this.#runner, queue, limit);
  }

  async ask(
    fence: Fence,
    questions: readonly InputQuestion[],
  ): Promise<ReadonlyMap<string, AskedInput> | null> {
    if (questions.length === 0) return new Map();
    return this.#runner.transaction('ask-inputs', async (runner) => {
      if (!(await lockAttempt(runner, fence))) return null;
      const rows = await askInputs(runner, fence, questions);
      return new Map(rows.map((row) => [row.key, toAskedInput(row)]));
    });
  }

  async readAnswers(
    taskId: TaskId,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, InputAnswer>> {
    if (keys.length === 0) return new Map();
    const answered = await this.#runner.ask('read-answers', (prisma) =>
      prisma.inputRequest.findMany({
        where: { taskId, key: { in: [...keys] }, answeredAt: { not: null } },
        select: { key: true, response: true },
      }),
    );
    return new Map(answered.map(({ key, response }) => [key, answerColumn.parse(response)]));
  }

  async timeOutInputs(
    fence: Fence,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, InputAnswer>> {
    await this.#runner.transaction('time-out-inputs', async (runner) => {
      if (!(await lockAttempt(runner, fence))) return;
      const timeouts = keys.map((key): [string, InputAnswer] => [key, { kind: 'timeout' }]);
      await answerInputs(runner, fence.taskId, new Map(timeouts));
      await settleInputs(runner, fence.taskId);
    });
    return this.readAnswers(fence.taskId, keys);
  }

  async appendLogs(fence: Fence, messages: readonly LogMessage[]): Promise<boolean> {
    return appendLogs(this.#runner, fence, messages);
  }

  async getCheckpoint(taskId: TaskId, key: string): Promise<JsonValue | null> {
    const found = await this.#runner.ask('get-checkpoint', (prisma) =>
      prisma.taskCheckpoint.findUnique({
        where: { taskId_key: { taskId, key } },
        select: { value: true },
      }),
    );
    return found === null ? null : jsonValue.parse(found.value);
  }

  async setCheckpoint(fence: Fence, key: string, value: JsonValue): Promise<boolean> {
    return setCheckpoint(this.#runner, { fence, key, value: JSON.stringify(value) });
  }

  /** Fails the calls that wait for a group, and waits for the groups under way. */
  async close(): Promise<void> {
    await Promise.all([this.#claims.close(), this.#finishes.close(), this.#retries.close()]);
  }
}

function payloadOf({ outcome, preview }: FinishedAttempt): Pick<FinishRow, 'payload' | 'body'> {
  const whole = outcomePayload(outcome);
  return preview === undefined
    ? { payload: whole, body: null }
    : { payload: JSON.stringify(preview), body: Buffer.from(whole) };
}

function toAskedInput({ is_same, response }: AskedRow): AskedInput {
  if (is_same === null) return { kind: 'asked' };
  if (!is_same) return { kind: 'conflict' };
  return response === null ? { kind: 'asked' } : { kind: 'answered', answer: response };
}
