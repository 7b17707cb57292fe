import type * as z from 'zod';
import type { Prisma } from '../generated/client.ts';

/** One SQL statement with its parameters and the shape of what it returns. */
export interface Statement<Row> {
  /** Names it in errors and, with a number, as a prepared statement: `claim-tasks`. */
  readonly name: string;
  readonly sql: Prisma.Sql;
  /** Values as node-postgres parses them: bigint columns arrive as text, so statements cast them. */
  readonly row: z.ZodType<Row>;
}

/** Runs statements; the files under `statements/` know nothing of pools and transactions. */
export interface SqlRunner {
  /** @throws {LongshoreError} as `classifyError` says */
  run<Row>(statement: Statement<Row>): Promise<Row[]>;
}
