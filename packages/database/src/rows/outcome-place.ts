import { Prisma } from '../generated/client.ts';

/**
 * Which item of its chunk an outcome `o.value` is of: what it begins with, `[12,`. By its text, for Postgres picks nothing out of
 * a json that has a NUL somewhere.
 */
export const OUTCOME_PLACE = Prisma.sql`split_part(substring(o.value::text FROM 2 FOR 12), ',', 1)::int`;
