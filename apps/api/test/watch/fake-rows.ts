import { randomUUID } from 'node:crypto';
import {
  type CancelOutcome,
  LongshoreError,
  type Outcome,
  outcomeKind,
  type PendingInput,
  type PrincipalId,
  type Task,
  type TaskId,
  type TaskStore,
  type TaskWithOutcome,
} from '@longshore/core';

type RowFields = Partial<Omit<Task, 'state'>>;

/** Rows in memory, for what reads tasks: found by their one owner, or not at all. */
export class FakeRows {
  readonly owner = randomUUID() as string as PrincipalId;
  /** While true, every read fails the way it does without Postgres. */
  isAway = false;
  reads = 0;
  readonly cancelled: TaskId[] = [];
  readonly #rows = new Map<TaskId, TaskWithOutcome>();
  readonly #questions = new Map<TaskId, PendingInput[]>();

  /** Only what readers of single tasks use. */
  readonly store = {
    find: (id: TaskId, owner: PrincipalId) =>
      this.#find(id, owner).then((row) => row?.task ?? null),
    findWithOutcome: (id: TaskId, owner: PrincipalId) => this.#find(id, owner),
    cancelHeld: async (id: TaskId, owner: PrincipalId): Promise<CancelOutcome> => {
      const row = await this.#find(id, owner);
      if (row === null) return { kind: 'not_found' };
      this.cancelled.push(id);
      return {
        kind: 'cancelled',
        task: row.task,
        workerId: null,
        descendants: [],
        queue: 'default',
      };
    },
  } as unknown as TaskStore;

  readonly inputs = {
    pending: (id: TaskId) => Promise.resolve(this.#questions.get(id) ?? []),
    renewLeases: (leases: readonly unknown[]) =>
      Promise.resolve(leases.map(() => ({ held: 0, free: 0 }))),
  };

  add(fields: RowFields = {}): TaskId {
    const id = fields.id ?? (randomUUID() as string as TaskId);
    const at = new Date(1_000);
    const task: Task = {
      listed: true,
      requestId: 1,
      logLevel: null,
      sessionId: null,
      era: 'modern',
      toolName: 'tool',
      progressToken: null,
      progress: null,
      statusMessage: null,
      isHeld: false,
      createdAt: at,
      updatedAt: at,
      ttlMs: 60_000,
      ...fields,
      id,
      state: 'working',
    };
    this.#rows.set(id, { task, outcome: null });
    return id;
  }

  change(id: TaskId, fields: RowFields): void {
    const row = this.#rows.get(id);
    if (row !== undefined) this.#rows.set(id, { ...row, task: { ...row.task, ...fields } });
  }

  ask(id: TaskId, ...keys: string[]): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    this.#rows.set(id, { ...row, task: { ...row.task, state: 'input_required' } });
    this.#questions.set(
      id,
      keys.map((key) => ({ key, method: 'roots/list', params: {} }) as PendingInput),
    );
  }

  finish(id: TaskId, outcome: Outcome): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    const task: Task = { ...row.task, state: 'finished', outcomeKind: outcomeKind(outcome) };
    this.#rows.set(id, { task, outcome });
  }

  delete(id: TaskId): void {
    this.#rows.delete(id);
  }

  async #find(id: TaskId, owner: PrincipalId): Promise<TaskWithOutcome | null> {
    this.reads += 1;
    if (this.isAway) throw new LongshoreError('DATABASE_UNAVAILABLE', 'away');
    return owner === this.owner ? (this.#rows.get(id) ?? null) : null;
  }
}
