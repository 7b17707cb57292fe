import type { ToolRate } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ is_taken: z.boolean(), ends_in_ms: z.number() });

/**
 * Takes a start of a tool, unless the window that runs has none left. A window that has ended begins anew, by
 * the clock at the moment the row is locked: `now()` would be that before a wait for the lock, and the window
 * would end too soon.
 *
 * Locks the tool's row. Index: tool_starts_pkey, two probes. What is refused writes nothing.
 *
 * @returns milliseconds until the window ends, when none is left; else null. The window may be one that ended
 *   while the statement ran: then 0 or less
 */
export async function takeToolStart(
  runner: SqlRunner,
  toolName: string,
  { starts, perMs }: ToolRate,
): Promise<number | null> {
  const window = Prisma.sql`clock_timestamp() + ${perMs}::float8 * interval '1 ms'`;
  const [row] = await runner.run({
    name: 'take-tool-start',
    row: Row,
    sql: Prisma.sql`
      WITH taken AS (
        INSERT INTO tool_starts AS s (tool_name, starts, window_ends_at)
        VALUES (${toolName}, 1, ${window})
        ON CONFLICT (tool_name) DO UPDATE SET
          starts = CASE WHEN s.window_ends_at > clock_timestamp() THEN s.starts + 1 ELSE 1 END,
          window_ends_at = CASE WHEN s.window_ends_at > clock_timestamp() THEN s.window_ends_at
            ELSE ${window} END
        WHERE s.starts < ${starts}::bigint OR s.window_ends_at <= clock_timestamp()
        RETURNING s.tool_name
      )
      SELECT EXISTS (SELECT FROM taken) AS is_taken, coalesce((
        SELECT extract(epoch FROM s.window_ends_at - clock_timestamp()) * 1000
        FROM tool_starts AS s WHERE s.tool_name = ${toolName}
      ), 0)::float8 AS ends_in_ms`,
  });
  return row === undefined || row.is_taken ? null : row.ends_in_ms;
}
