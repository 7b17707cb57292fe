import * as z from 'zod';
import { Id, Instant } from './values.ts';
import { LIMIT_RANGES } from './words.ts';

const limit = (name: keyof typeof LIMIT_RANGES) =>
  z.int().min(LIMIT_RANGES[name].min).max(LIMIT_RANGES[name].max);

const Limits = z
  .object({
    requestsPerMinute: limit('requestsPerMinute'),
    concurrentTasks: limit('concurrentTasks'),
    queuedTasks: limit('queuedTasks'),
    argumentBytes: limit('argumentBytes'),
    maxTtlMs: limit('maxTtlMs'),
    openStreams: limit('openStreams'),
    sessions: limit('sessions'),
    schedules: limit('schedules'),
  })
  .partial();

export const Me = z.object({
  version: z.string(),
  auth: z.enum(['none', 'api-key', 'oauth']),
  principal: z.object({ id: Id, kind: z.string(), subject: z.string() }),
  /** Null: everything is allowed. */
  scopes: z.array(z.string()).nullable(),
  /** May see the tasks of others. */
  seesAll: z.boolean(),
  /** May act on the tasks of others, and on workers, queues and keys. */
  operates: z.boolean(),
});

export const ApiKey = z.object({
  id: Id,
  name: z.string(),
  prefix: z.string(),
  principal: z.string(),
  scopes: z.array(z.string()),
  limits: Limits,
  createdAt: Instant,
  expiresAt: Instant.nullable(),
  revokedAt: Instant.nullable(),
  lastUsedAt: Instant.nullable(),
});

export const NewApiKey = z.object({
  name: z.string().trim().min(1).max(128),
  /** Keys with the same principal share their tasks; left out: it is a principal of its own. */
  principal: z.string().trim().min(1).max(128).optional(),
  scopes: z.array(z.string().max(160)).min(1).max(100),
  limits: Limits.optional(),
  expiresInMs: z.int().min(1_000).max(3_153_600_000_000).optional(),
});

export const MadeApiKey = z.object({
  key: ApiKey,
  /** Shown this once: the server keeps its hash. */
  secret: z.string(),
});

export const Login = z.object({ key: z.string().min(1).max(512) });
