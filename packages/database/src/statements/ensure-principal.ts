import type { PrincipalId, PrincipalKind } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn } from '../rows/columns.ts';

const Row = z.object({ id: principalIdColumn });

/**
 * Finds or makes a principal, and locks its row until the transaction ends, so that two processes that meet
 * it for the first time make one binding. Index: auth_contexts_kind_subject_key.
 */
export async function ensurePrincipal(
  runner: SqlRunner,
  kind: PrincipalKind,
  subject: string,
): Promise<PrincipalId> {
  const [row] = await runner.run({
    name: 'ensure-principal',
    row: Row,
    sql: Prisma.sql`
      INSERT INTO auth_contexts AS c (id, kind, subject)
      VALUES (gen_random_uuid(), ${kind}, ${subject})
      ON CONFLICT (kind, subject) DO UPDATE SET subject = excluded.subject
      RETURNING c.id`,
  });
  if (row === undefined) throw new Error('ensure-principal returned no row');
  return row.id;
}
