import pg from 'pg';
import type { Stack } from './stack.ts';

/** How many rows of a stack have not ended. */
export async function openTasks(stack: Stack): Promise<number> {
  const database = new pg.Client(stack.environment['DATABASE_URL']);
  await database.connect();
  try {
    const { rows } = await database.query<{ open: number }>(
      'SELECT count(*)::int AS open FROM tasks WHERE finished_at IS NULL',
    );
    return rows[0]?.open ?? 0;
  } finally {
    await database.end();
  }
}
