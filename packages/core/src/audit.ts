import type { AuthBindingId, PrincipalId } from './brand.ts';

/** What is put on record. */
export const AUDIT_ACTIONS = [
  'task_created',
  'task_read',
  'task_answered',
  'task_cancelled',
  'task_retried',
  'task_downloaded',
  'bulk_begun',
  'bulk_stopped',
  'queue_paused',
  'queue_resumed',
  'tool_paused',
  'tool_resumed',
  'worker_drained',
  'worker_resumed',
  'schedule_removed',
  'webhook_made',
  'webhook_removed',
  'webhook_enabled',
  'webhook_disabled',
  'webhook_replayed',
  'key_made',
  'key_revoked',
  'login',
  /** A request that its credentials, or its origin, did not allow; many alike within a minute are one. */
  'refused',
  /** Somebody asked for tasks that are not theirs, or not there; those of a minute are one. */
  'lookups_failed',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDIT_TARGET_KINDS = [
  'task',
  'key',
  'queue',
  'tool',
  'worker',
  'schedule',
  'webhook',
  'bulk',
] as const;

export interface AuditTarget {
  readonly kind: (typeof AUDIT_TARGET_KINDS)[number];
  readonly id: string;
}

/** Something that somebody did. Nothing secret, and nothing of arguments or results. */
export interface NewAuditEntry {
  readonly action: AuditAction;
  /** Null: nobody who is known. */
  readonly principalId: PrincipalId | null;
  readonly authBindingId: AuthBindingId | null;
  readonly target: AuditTarget | null;
  /** Of the peer of the connection. */
  readonly address: string | null;
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, string | number | boolean | null>> | null;
}

export interface AuditEntry extends NewAuditEntry {
  /** Grows; decimal text. */
  readonly id: string;
  readonly at: Date;
}

export interface AuditSearch {
  readonly principal: PrincipalId | null;
  readonly action: AuditAction | null;
  readonly targetId: string | null;
  readonly after: Date | null;
  readonly before: Date | null;
}

export interface AuditStore {
  append(entries: readonly NewAuditEntry[]): Promise<void>;
  /** Newest first. @param before id of the last entry of the page before */
  search(search: AuditSearch, limit: number, before: string | null): Promise<readonly AuditEntry[]>;
  /** Deletes what is older, `limit` at most. @returns how many */
  deleteOld(ageMs: number, limit: number): Promise<number>;
}
