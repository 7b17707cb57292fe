import { Prisma } from '../generated/client.ts';

/** What a task gives to those it starts, of a table or CTE called `h`, in the order of `CHILD_COLUMNS`. */
export const INHERITED = Prisma.sql`
  h.id, h.principal_id, h.auth_binding_id, h.era, h.request_id, false, 'working', h.execution_deadline,
  h.ttl_ms, h.expires_at, now(), now()`;

/**
 * Columns of a task that another one starts. It has no session: its messages go to its parent only, which
 * brings them to the client.
 */
export const CHILD_COLUMNS = Prisma.sql`
  parent_task_id, principal_id, auth_binding_id, era, request_id, listed, state, execution_deadline,
  ttl_ms, expires_at, created_at, updated_at`;
