import { Prisma } from '../generated/client.ts';

/** Longer than a statement may take: what has not committed by then has been given up. */
const LONGEST_WRITE = Prisma.sql`interval '60 s'`;

/**
 * SELECT: until when (`at`) all that ended is to be seen by the next statement. A task's end has the time at which its
 * transaction began, rounded to milliseconds, and may be seen later than that: so nothing counts that ended after the oldest open
 * transaction began. In a statement of its own, for what commits between its snapshot and this look would be in neither.
 */
export const SETTLED_UNTIL = Prisma.sql`
  SELECT date_trunc('milliseconds',
    greatest(now() - ${LONGEST_WRITE}, least(now() - interval '1 s', min(a.xact_start)))) - interval '1 ms' AS at
  FROM pg_stat_activity AS a
  WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.xact_start IS NOT NULL`;
