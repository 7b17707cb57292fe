import pg from 'pg';
import { redisContents } from './redis-tap.ts';
import type { Stack } from './stack.ts';

/**
 * Looks for texts in all that a stack leaves behind: the output of its processes, every row of every table of
 * its database, and every key of its Redis; jobs are among them either way.
 *
 * @returns one sentence for each place where one was found
 */
export async function searchEverything(stack: Stack, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const search = (where: string, content: string): void => {
    if (texts.some((text) => content.includes(text))) found.push(`${where}: ${content}`);
  };
  for (const app of [...stack.apis, ...stack.workers]) {
    for (const line of app.lines) search('log', line);
  }
  const redisUrl = stack.environment['REDIS_URL'] ?? '';
  for (const content of redisUrl === '' ? [] : await redisContents(redisUrl)) {
    search('redis', content);
  }
  const client = new pg.Client(stack.environment['DATABASE_URL']);
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
       WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT t::text AS row FROM ${name} AS t`,
      );
      for (const { row } of rows) search(name, row);
    }
  } finally {
    await client.end();
  }
  return found;
}
