import {
  type Acceptance,
  type CancelOutcome,
  type EventCursor,
  type LoggedMessage,
  LongshoreError,
  type NewTask,
  type PrincipalId,
  type RequestId,
  type SessionId,
  type Task,
  type TaskCall,
  type TaskHistory,
  type TaskId,
  type TaskListPosition,
  type TaskStatus,
  type TaskStore,
  type TaskWithOutcome,
} from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { type DatabaseGroup, groupForDatabase } from '../grouping/group-for-database.ts';
import { jsonObjectColumn, taskIdColumn } from '../rows/columns.ts';
import { isEventCursor } from '../rows/is-event-cursor.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { type NewTaskRow, toNewTaskRow } from '../rows/new-task-row.ts';
import { OWNED_CALL } from '../rows/owned-batch.ts';
import { TASK_COLUMNS, TaskRow, toTask } from '../rows/task-row.ts';
import { acceptTasks } from '../statements/accept-tasks.ts';
import { cancelDescendants } from '../statements/cancel-descendants.ts';
import { cancelTask } from '../statements/cancel-task.ts';
import { countWaitingTasks } from '../statements/count-waiting-tasks.ts';
import { findChangedTasks } from '../statements/find-changed-tasks.ts';
import { findLoggedTasks } from '../statements/find-logged-tasks.ts';
import { findOutcomes } from '../statements/find-outcomes.ts';
import { type CallName, findSameTask } from '../statements/find-same-task.ts';
import { findTasks, type TaskKey } from '../statements/find-tasks.ts';
import { freeIdempotencyKey } from '../statements/free-idempotency-key.ts';
import { listTasks } from '../statements/list-tasks.ts';
import { promoteTask } from '../statements/promote-task.ts';
import { readHistory } from '../statements/read-history.ts';
import { type LogKey, readLogs } from '../statements/read-logs.ts';
import { takeLogs } from '../statements/take-logs.ts';

/** Results of unknown size come with them: some megabytes each at worst. */
const MAX_OUTCOMES = 32;

/** How often a call is tried whose key another task has, and loses, in between. */
const MAX_TRIES = 3;

const OpenRow = z.object({ open: z.boolean() });
const HeldRow = z.object({ id: taskIdColumn });
const CallRow = TaskRow.extend({ arguments: jsonObjectColumn });

/** Ids that are no UUIDs are unknown ones, answered without asking Postgres. */
export class PostgresTaskStore implements TaskStore {
  readonly #runner: SqlRunner;
  /** Null: a task has the idempotency key already. */
  readonly #accepts: DatabaseGroup<NewTaskRow, Date | null>;
  readonly #finds: DatabaseGroup<TaskKey, Task | null>;
  readonly #outcomes: DatabaseGroup<TaskKey, TaskWithOutcome | null>;
  readonly #logged: DatabaseGroup<Pick<LogKey, 'id' | 'owner' | 'after'>, boolean>;
  readonly #logs: DatabaseGroup<LogKey, LoggedMessage[]>;

  constructor(runner: SqlRunner) {
    this.#runner = runner;
    this.#accepts = groupForDatabase({
      name: 'accepting tasks',
      keyOf: null,
      weightOf: (row) => row.arguments.length + (row.payload?.length ?? 0),
      run: async (rows) => {
        const { createdAt, created } = await acceptTasks(runner, rows);
        return rows.map(({ id }) => (created === null || created.has(id) ? createdAt : null));
      },
    });
    this.#finds = groupForDatabase({
      name: 'reading tasks',
      keyOf: null,
      weightOf: () => 1,
      run: async (keys) => {
        const found = await findTasks(runner, keys);
        return keys.map((_key, position) => found.get(position) ?? null);
      },
    });
    this.#outcomes = groupForDatabase({
      name: 'reading outcomes',
      keyOf: null,
      weightOf: () => 1,
      maxGroupSize: MAX_OUTCOMES,
      run: async (keys) => {
        const found = await findOutcomes(runner, keys);
        return keys.map((_key, position) => found.get(position) ?? null);
      },
    });
    this.#logged = groupForDatabase({
      name: 'looking for logs',
      keyOf: null,
      weightOf: () => 1,
      run: async (keys) => {
        const found = await findLoggedTasks(runner, keys);
        return keys.map((_key, position) => found.has(position));
      },
    });
    this.#logs = groupForDatabase({
      name: 'reading logs',
      keyOf: null,
      weightOf: () => 1,
      maxGroupSize: MAX_OUTCOMES,
      run: async (keys) => {
        const found = await readLogs(runner, keys);
        return keys.map((_key, position) => found.get(position) ?? []);
      },
    });
  }

  async accept(task: NewTask): Promise<Acceptance> {
    const row = toNewTaskRow(task);
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const createdAt = await this.#accepts.call(row);
      if (createdAt !== null) return { kind: 'created', createdAt };
      // Whoever has the key has committed, for the statement waited for that: this one sees it.
      const same = await this.findSame(task);
      if (same !== null) return { kind: 'known', task: same };
      const name = callName(task);
      if (name !== null) await freeIdempotencyKey(this.#runner, name);
    }
    throw new LongshoreError(
      'DATABASE_UNAVAILABLE',
      'The task of this idempotency key came and went. Try again.',
    );
  }

  async findSame(task: Omit<NewTask, 'enqueue'>): Promise<Task | null> {
    const name = callName(task);
    const found = name === null ? null : await findSameTask(this.#runner, name);
    if (found === null) return null;
    if (found.argumentsHash === task.idempotency?.argumentsHash) return found.task;
    throw new LongshoreError(
      'IDEMPOTENCY_CONFLICT',
      `The idempotency key belongs to a call of ${task.toolName} with other arguments: take a new key for a new call`,
    );
  }

  async countWaiting(owner: PrincipalId, limit: number): Promise<number> {
    return countWaitingTasks(this.#runner, owner, limit);
  }

  async hasOpen(owner: PrincipalId): Promise<boolean> {
    // What tasks have started needs no look: it ends with the task that started it.
    const [row] = await this.#runner.run({
      name: 'has-open-tasks',
      row: OpenRow,
      sql: Prisma.sql`
        SELECT EXISTS (
          SELECT FROM tasks AS t
          WHERE t.principal_id = ${owner}::uuid AND t.finished_at IS NULL AND t.parent_task_id IS NULL
        ) AS open`,
    });
    return row?.open ?? false;
  }

  async find(id: TaskId, owner: PrincipalId): Promise<Task | null> {
    return isUuid(id) ? this.#finds.call({ id, owner }) : null;
  }

  async findWithOutcome(id: TaskId, owner: PrincipalId): Promise<TaskWithOutcome | null> {
    return isUuid(id) ? this.#outcomes.call({ id, owner }) : null;
  }

  async findCall(id: TaskId, owner: PrincipalId): Promise<TaskCall | null> {
    if (!isUuid(id)) return null;
    const [row] = await this.#runner.run({
      name: 'find-call',
      row: CallRow,
      sql: Prisma.sql`SELECT ${TASK_COLUMNS}, t.arguments ${OWNED_CALL(id, owner)} AND t.listed`,
    });
    return row === undefined ? null : { task: toTask(row), arguments: row.arguments };
  }

  async history(id: TaskId, owner: PrincipalId, limit: number): Promise<TaskHistory | null> {
    return isUuid(id) ? readHistory(this.#runner, id, owner, limit) : null;
  }

  async list(
    owner: PrincipalId,
    limit: number,
    after: TaskListPosition | null,
    status: TaskStatus | null = null,
  ): Promise<Task[]> {
    return listTasks(this.#runner, owner, limit, after, status);
  }

  async cancel(id: TaskId, owner: PrincipalId): Promise<CancelOutcome> {
    if (!isUuid(id)) return { kind: 'not_found' };
    return this.#cancel(id, owner, true);
  }

  async cancelHeld(id: TaskId, owner: PrincipalId): Promise<CancelOutcome> {
    if (!isUuid(id)) return { kind: 'not_found' };
    return this.#cancel(id, owner, false);
  }

  async promote(id: TaskId, owner: PrincipalId, by: 'maker' | 'other'): Promise<Task | null> {
    return isUuid(id) ? promoteTask(this.#runner, id, owner, by) : null;
  }

  async logs(
    id: TaskId,
    owner: PrincipalId,
    after: EventCursor,
    limit: number,
  ): Promise<LoggedMessage[]> {
    if (!isEventCursor(after)) {
      throw new LongshoreError(
        'INVALID_EVENT_ID',
        `"${after.slice(0, 32)}" is no place in a history.`,
      );
    }
    return isUuid(id) ? this.#logs.call({ id, owner, after, limit }) : [];
  }

  async takeLogs(
    id: TaskId,
    owner: PrincipalId,
    taker: { stream: string; previous: string | null; after: EventCursor; limit: number },
  ): Promise<LoggedMessage[]> {
    if (!isUuid(id)) return [];
    // Most tasks log nothing, and many streams end at once: that is found out for all of them together.
    if (!(await this.#logged.call({ id, owner, after: taker.after }))) return [];
    return takeLogs(this.#runner, { taskId: id, owner, ...taker });
  }

  async changedSince(
    sessionId: SessionId,
    owner: PrincipalId,
    since: Date,
    limit: number,
  ): Promise<Task[]> {
    if (!isUuid(sessionId)) return [];
    return findChangedTasks(this.#runner, sessionId, owner, since, limit);
  }

  async cancelRequest(
    sessionId: SessionId,
    owner: PrincipalId,
    requestId: RequestId,
  ): Promise<CancelOutcome> {
    // The latest one, for a client may use an id twice.
    const [call] = await this.#runner.run({
      name: 'find-held-call',
      row: HeldRow,
      sql: Prisma.sql`
        SELECT id FROM tasks
        WHERE session_id = ${sessionId}::uuid AND request_id = ${JSON.stringify(requestId)}
          AND principal_id = ${owner}::uuid AND finished_at IS NULL AND NOT listed
        ORDER BY created_at DESC
        LIMIT 1`,
    });
    if (call === undefined) return { kind: 'not_found' };
    return this.#cancel(call.id, owner, false);
  }

  /**
   * Two statements: once the task has ended nothing more is started for it, so the second one sees all. Should
   * it fail, or never come, the sweeper cancels them.
   */
  async #cancel(id: TaskId, owner: PrincipalId, listed: boolean): Promise<CancelOutcome> {
    const outcome = await cancelTask(this.#runner, { id, owner, listed });
    if (outcome.kind !== 'cancelled') return outcome;
    return { ...outcome, descendants: await cancelDescendants(this.#runner, id, null) };
  }

  /** Fails the calls that wait for a group, and waits for the groups under way. */
  async close(): Promise<void> {
    await Promise.all([
      this.#accepts.close(),
      this.#finds.close(),
      this.#outcomes.close(),
      this.#logged.close(),
      this.#logs.close(),
    ]);
  }
}

function callName({
  principalId: owner,
  toolName,
  idempotency,
}: Omit<NewTask, 'enqueue'>): CallName | null {
  return idempotency === undefined ? null : { owner, toolName, idempotencyKey: idempotency.key };
}
