import type { ApiKey, AuthBindingId, PrincipalLimits, ValidApiKey } from '@longshore/core';
import * as z from 'zod';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn } from './columns.ts';

/** The json column `limits`. Members this version does not know are left out. */
export const limitsColumn: z.ZodType<Partial<PrincipalLimits> | null> = z
  .object({
    requestsPerMinute: z.number(),
    concurrentTasks: z.number(),
    queuedTasks: z.number(),
    argumentBytes: z.number(),
    maxTtlMs: z.number(),
    openStreams: z.number(),
    sessions: z.number(),
    schedules: z.number(),
  })
  .partial()
  .transform((limits) => limits as Partial<PrincipalLimits>)
  .nullable();

const authBindingIdColumn = z.custom<AuthBindingId>((value) => typeof value === 'string');

export const ApiKeyRow = z.object({
  id: z.string(),
  auth_binding_id: authBindingIdColumn,
  principal: z.string(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  limits: limitsColumn,
  created_at: z.date(),
  expires_at: z.date().nullable(),
  revoked_at: z.date().nullable(),
  last_used_at: z.date().nullable(),
});

/** What ApiKeyRow reads, of `k` (api_keys) and `c` (auth_contexts). */
export const API_KEY_COLUMNS = Prisma.sql`
  k.id, k.auth_binding_id, c.subject AS principal, k.name, k.prefix, k.scopes, k.limits, k.created_at,
  k.expires_at, k.revoked_at, k.last_used_at`;

export function toApiKey(row: z.output<typeof ApiKeyRow>): ApiKey {
  return {
    id: row.id,
    authBindingId: row.auth_binding_id,
    principal: row.principal,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    limits: row.limits ?? {},
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}

export const ValidApiKeyRow = z.object({
  id: z.string(),
  principal_id: principalIdColumn,
  auth_binding_id: authBindingIdColumn,
  scopes: z.array(z.string()),
  limits: limitsColumn,
  expires_in_ms: z.number().nullable(),
});

export function toValidApiKey(row: z.output<typeof ValidApiKeyRow>): ValidApiKey {
  return {
    id: row.id,
    principalId: row.principal_id,
    authBindingId: row.auth_binding_id,
    scopes: row.scopes,
    limits: row.limits ?? {},
    expiresInMs: row.expires_in_ms,
  };
}
