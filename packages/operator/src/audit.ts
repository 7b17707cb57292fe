import * as z from 'zod';
import { Id, Instant } from './values.ts';
import { AUDIT_ACTIONS } from './words.ts';

export const AuditEntry = z.object({
  id: z.string(),
  at: Instant,
  action: z.enum(AUDIT_ACTIONS),
  /** Null: nobody who is known. */
  principalId: Id.nullable(),
  /** Of the credential; an API key has one of its own. */
  credentialId: Id.nullable(),
  target: z.object({ kind: z.string(), id: z.string() }).nullable(),
  /** Of the peer of the connection: behind a proxy, the proxy's. */
  address: z.string().nullable(),
  requestId: z.string().nullable(),
  details: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .nullable(),
});

export const AuditFilter = z.object({
  principal: Id.optional(),
  action: z.enum(AUDIT_ACTIONS).optional(),
  /** Id or name of a task, key, queue, tool, worker, schedule or bulk action. */
  target: z.string().max(256).optional(),
  after: Instant.optional(),
  before: Instant.optional(),
});
