import {
  AUDIT_ACTIONS,
  AUDIT_TARGET_KINDS,
  type AuditEntry,
  type AuditSearch,
  type AuditStore,
  type AuthBindingId,
  type NewAuditEntry,
} from '@longshore/core';
import * as z from 'zod';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn } from '../rows/columns.ts';
import { storableText } from '../rows/storable-text.ts';

const Row = z
  .object({
    id: z.string(),
    at: z.date(),
    action: z.enum(AUDIT_ACTIONS),
    principal_id: principalIdColumn.nullable(),
    auth_binding_id: z
      .custom<AuthBindingId>((value) => typeof value === 'string', 'not a uuid column')
      .nullable(),
    target_kind: z.enum(AUDIT_TARGET_KINDS).nullable(),
    target_id: z.string().nullable(),
    address: z.string().nullable(),
    request_id: z.string().nullable(),
    details: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .nullable(),
  })
  .transform(
    (row): AuditEntry => ({
      id: row.id,
      at: row.at,
      action: row.action,
      principalId: row.principal_id,
      authBindingId: row.auth_binding_id,
      target:
        row.target_kind === null || row.target_id === null
          ? null
          : { kind: row.target_kind, id: row.target_id },
      address: row.address,
      requestId: row.request_id,
      details: row.details,
    }),
  );

const Id = z.object({ id: z.string() });

export class PostgresAuditStore implements AuditStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async append(entries: readonly NewAuditEntry[]): Promise<void> {
    await this.#runner.ask('append-audit', (prisma) =>
      prisma.auditEntry.createMany({
        data: entries.map(({ target, details, action, ...entry }) => ({
          ...entry,
          action,
          targetKind: target?.kind ?? null,
          targetId: target === null ? null : storableText(target.id.slice(0, 256)),
          ...(details === null
            ? {}
            : { details: JSON.parse(storableText(JSON.stringify(details))) }),
        })),
      }),
    );
  }

  /**
   * Newest first. Indexes: audit_entries_principal_idx, audit_entries_target_idx, or audit_entries_pkey from the end; for a
   * window of time audit_entries_at_idx.
   */
  async search(
    { principal, action, targetId, after, before: until }: AuditSearch,
    limit: number,
    before: string | null,
  ): Promise<readonly AuditEntry[]> {
    const all: Prisma.Sql[] = [Prisma.sql`a.id < ${before ?? '9223372036854775807'}::bigint`];
    if (principal !== null) all.push(Prisma.sql`a.principal_id = ${principal}::uuid`);
    if (targetId !== null) all.push(Prisma.sql`a.target_id = ${targetId}::text`);
    if (action !== null) all.push(Prisma.sql`a.action = ${action}::text`);
    if (after !== null) all.push(Prisma.sql`a.at >= ${after}::timestamptz`);
    if (until !== null) all.push(Prisma.sql`a.at < ${until}::timestamptz`);
    return this.#runner.run({
      name: 'search-audit',
      row: Row,
      sql: Prisma.sql`
        SELECT a.id::text AS id, a.at, a.action, a.principal_id, a.auth_binding_id, a.target_kind, a.target_id, a.address,
          a.request_id, a.details
        FROM audit_entries AS a WHERE ${Prisma.join(all, ' AND ')}
        ORDER BY a.id DESC LIMIT ${limit}::int`,
    });
  }

  /** Index: audit_entries_at_idx. */
  async deleteOld(ageMs: number, limit: number): Promise<number> {
    const rows = await this.#runner.run({
      name: 'delete-old-audit',
      row: Id,
      sql: Prisma.sql`
        DELETE FROM audit_entries WHERE id = ANY (ARRAY(
          SELECT a.id FROM audit_entries AS a
          WHERE a.at <= now() - ${ageMs}::float8 * interval '1 ms' ORDER BY a.at LIMIT ${limit}::int
        ))
        RETURNING id::text AS id`,
    });
    return rows.length;
  }
}
