import {
  type AuthBindingId,
  type BulkAction,
  type BulkStep,
  type BulkStore,
  type NewBulkAction,
  type PrincipalId,
  TASK_PHASES,
} from '@longshore/core';
import * as z from 'zod';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn, taskIdColumn, workerIdColumn } from '../rows/columns.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { storableText } from '../rows/storable-text.ts';

/** Reasons that are kept. */
const MOST_FAILURES = 20;

const texts = z.array(z.string()).nullable();
/** In a document. */
const storedDate = z
  .string()
  .transform((text) => new Date(text))
  .nullable();
const Search = z.object({
  owner: principalIdColumn.nullable(),
  phases: z.array(z.enum(TASK_PHASES)).nullable(),
  tools: texts,
  queues: texts,
  worker: workerIdColumn.nullable(),
  parent: taskIdColumn.nullable(),
  createdAfter: storedDate,
  createdBefore: storedDate,
  text: z.string().nullable(),
});

const Row = z
  .object({
    id: z.string(),
    principal_id: principalIdColumn,
    auth_binding_id: z.custom<AuthBindingId>((value) => typeof value === 'string'),
    scopes: texts,
    action: z.enum(['cancel', 'retry']),
    filter: Search,
    most: z.number(),
    state: z.enum(['running', 'done', 'stopped']),
    done: z.number(),
    failed: z.number(),
    failures: z.array(z.object({ id: z.string(), message: z.string() })),
    place: z.object({ id: taskIdColumn, createdAt: z.coerce.date() }).nullable(),
    created_at: z.date(),
    finished_at: z.date().nullable(),
  })
  .transform(
    (row): BulkAction => ({
      id: row.id,
      identity: { principalId: row.principal_id, authBindingId: row.auth_binding_id },
      scopes: row.scopes,
      verb: row.action,
      search: row.filter,
      most: row.most,
      state: row.state,
      done: row.done,
      failed: row.failed,
      failures: row.failures,
      place: row.place,
      createdAt: row.created_at,
      finishedAt: row.finished_at,
    }),
  );

const COLUMNS = Prisma.sql`
  b.id, b.principal_id, b.auth_binding_id, b.scopes, b.action, b.filter, b.most, b.state, b.done, b.failed, b.failures,
  b.place, b.created_at, b.finished_at`;

const lease = (ms: number): Prisma.Sql => Prisma.sql`now() + ${ms}::float8 * interval '1 ms'`;

/** Nobody is at it. Index: bulk_actions_running_idx. */
const IS_WAITING = Prisma.sql`b.state = 'running' AND (b.lease_expires_at <= now()) IS NOT FALSE`;

export class PostgresBulkStore implements BulkStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async create({ id, identity, scopes, verb, search, most }: NewBulkAction): Promise<BulkAction> {
    const [row] = await this.#runner.run({
      name: 'create-bulk-action',
      row: Row,
      sql: Prisma.sql`
        INSERT INTO bulk_actions AS b (id, principal_id, auth_binding_id, scopes, action, filter, most)
        VALUES (${id}::uuid, ${identity.principalId}::uuid, ${identity.authBindingId}::uuid,
          ${scopes === null ? null : JSON.stringify(scopes)}::json, ${verb}, ${storableText(JSON.stringify(search))}::json,
          ${most}::int)
        RETURNING ${COLUMNS}`,
    });
    if (row === undefined) throw new Error('create-bulk-action returned no row');
    return row;
  }

  /** Index: bulk_actions_newest_idx; there are few. */
  async list(owner: PrincipalId | null, limit: number): Promise<readonly BulkAction[]> {
    return this.#runner.run({
      name: 'list-bulk-actions',
      row: Row,
      sql: Prisma.sql`
        SELECT ${COLUMNS} FROM bulk_actions AS b
        WHERE ${owner}::uuid IS NULL OR b.principal_id = ${owner}::uuid
        ORDER BY b.created_at DESC, b.id DESC LIMIT ${limit}::int`,
    });
  }

  async find(id: string, owner: PrincipalId | null): Promise<BulkAction | null> {
    if (!isUuid(id)) return null;
    const [row] = await this.#runner.run({
      name: 'find-bulk-action',
      row: Row,
      sql: Prisma.sql`
        SELECT ${COLUMNS} FROM bulk_actions AS b
        WHERE b.id = ${id}::uuid AND (${owner}::uuid IS NULL OR b.principal_id = ${owner}::uuid)`,
    });
    return row ?? null;
  }

  async hasWaiting(): Promise<boolean> {
    const [row] = await this.#runner.run({
      name: 'has-waiting-bulk-actions',
      row: z.object({ waits: z.boolean() }),
      sql: Prisma.sql`SELECT EXISTS (SELECT FROM bulk_actions AS b WHERE ${IS_WAITING}) AS waits`,
    });
    return row?.waits ?? false;
  }

  /** Locks the row, and skips those that others are about to take. */
  async take(leaseMs: number): Promise<BulkAction | null> {
    const [row] = await this.#runner.run({
      name: 'take-bulk-action',
      row: Row,
      sql: Prisma.sql`
        UPDATE bulk_actions AS b SET lease_expires_at = ${lease(leaseMs)}
        WHERE b.id = (
          SELECT b.id FROM bulk_actions AS b WHERE ${IS_WAITING}
          ORDER BY b.created_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING ${COLUMNS}`,
    });
    return row ?? null;
  }

  async advance(before: BulkAction, step: BulkStep, leaseMs: number): Promise<BulkAction | null> {
    const done = before.done + step.done;
    const failed = before.failed + step.failed;
    const failures = [...before.failures, ...step.failures].slice(0, MOST_FAILURES);
    const isOver = step.place === null || done + failed >= before.most;
    const [row] = await this.#runner.run({
      name: 'advance-bulk-action',
      row: Row,
      sql: Prisma.sql`
        UPDATE bulk_actions AS b
        SET done = ${done}::int, failed = ${failed}::int, failures = ${storableText(JSON.stringify(failures))}::json,
          place = ${step.place === null ? null : JSON.stringify(step.place)}::json,
          state = ${isOver ? 'done' : 'running'}, finished_at = ${isOver ? Prisma.sql`now()` : null},
          lease_expires_at = ${lease(leaseMs)}
        WHERE b.id = ${before.id}::uuid AND b.state = 'running'
          AND b.done = ${before.done}::int AND b.failed = ${before.failed}::int
        RETURNING ${COLUMNS}`,
    });
    return row ?? null;
  }

  async stop(id: string): Promise<boolean> {
    const finishedAt = await this.#runner.now();
    const { count } = await this.#runner.ask('stop-bulk-action', (prisma) =>
      prisma.bulkAction.updateMany({
        where: { id, state: 'running' },
        data: { state: 'stopped', finishedAt },
      }),
    );
    return count > 0;
  }
}
