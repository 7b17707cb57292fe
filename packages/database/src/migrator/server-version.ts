import { silentLogger } from '@longshore/core';
import * as z from 'zod';
import { withConnection } from './migration-connection.ts';

const Row = z.object({ server_version_num: z.string(), server_version: z.string() });

/** Of a PostgreSQL server. */
export interface ServerVersion {
  readonly major: number;
  /** As the server says it: `15.4 (Debian 15.4-1)`. */
  readonly text: string;
}

/**
 * @throws {LongshoreError} DATABASE_UNAVAILABLE, naming the server without its password
 */
export function serverVersion(url: string): Promise<ServerVersion> {
  return withConnection(url, silentLogger, async (client) => {
    const { rows } = await client.query(
      "SELECT current_setting('server_version_num') AS server_version_num, current_setting('server_version') AS server_version",
    );
    const row = Row.parse(rows[0]);
    return { major: Math.floor(Number(row.server_version_num) / 10_000), text: row.server_version };
  });
}
