import * as z from 'zod';
import { Cursor, Id, Instant, Limit } from './values.ts';
import { WEBHOOK_EVENTS } from './words.ts';

export const WebhookEvent = z.enum(WEBHOOK_EVENTS);

export const NewWebhook = z.object({
  /** Where messages are POSTed: https, or what WEBHOOK_PRIVATE_HOSTS names. */
  url: z.string().min(1).max(2_048),
  events: z.array(WebhookEvent).min(1).max(20).default(['task.completed', 'task.failed']),
  /** `own`: tasks of the caller; `all`: those of everybody, which takes `ops:write`. */
  scope: z.enum(['own', 'all']).default('own'),
  /** Share of the settled items of a running batch that must have failed for `batch.failing`. */
  failingShare: z.number().gt(0).max(1).default(0.1),
});

export const Webhook = z.object({
  id: Id,
  /** Whose tasks; null: those of everybody. */
  principal: Id.nullable(),
  url: z.string(),
  events: z.array(WebhookEvent),
  failingShare: z.number(),
  enabled: z.boolean(),
  /** `asked`; `gone`: its receiver answered 410. Null while it is enabled. */
  disabledReason: z.enum(['asked', 'gone']).nullable(),
  /** Attempts in a row that failed. */
  failures: z.int(),
  createdAt: Instant,
});

export const MadeWebhook = z.object({
  webhook: Webhook,
  /** `whsec_…`, to verify messages with; shown this once. */
  secret: z.string(),
});

/** What an attempt came to. */
export const DeliveryAnswer = z.object({
  /** Null: there was no answer. */
  status: z.int().nullable(),
  /** The first kilobyte of its body. */
  text: z.string().nullable(),
  /** Why it counts as failed; null: it does not. */
  error: z.string().nullable(),
  latencyMs: z.int(),
});

export const WebhookDelivery = z.object({
  /** Also the header `webhook-id` of each of its attempts. */
  id: Id,
  /** Null: it is a test. */
  taskId: Id.nullable(),
  event: z.union([WebhookEvent, z.literal('webhook.test')]),
  occurredAt: Instant,
  /** `pending`: not tried yet; `failed`: it is tried again; `dead`: it is not. */
  state: z.enum(['pending', 'failed', 'delivered', 'dead']),
  attempts: z.int(),
  nextAttemptAt: Instant.nullable(),
  /** Of the latest attempt; null: there was none. */
  answer: DeliveryAnswer.nullable(),
  createdAt: Instant,
});

export const WebhookDeliveryPage = z.object({
  deliveries: z.array(WebhookDelivery),
  next: Cursor.nullable(),
});

/** One delivery, or those that failed and were made within [from, to). */
export const Replay = z.object({
  delivery: Id.optional(),
  from: Instant.optional(),
  /** Now, unless said. */
  to: Instant.optional(),
});

const ById = z.object({ id: Id });

/** Of `OPERATIONS`. */
export const WEBHOOK_OPERATIONS = {
  'GET /webhooks': {
    summary: 'Webhooks, the newest first',
    tag: 'webhooks',
    needs: 'own:read',
    answer: z.object({ webhooks: z.array(Webhook) }),
  },
  'POST /webhooks': {
    summary: 'Be told of what becomes of tasks, by signed messages to a URL',
    tag: 'webhooks',
    needs: 'own:write',
    body: NewWebhook,
    answer: MadeWebhook,
  },
  'DELETE /webhooks/{id}': {
    summary: 'Remove a webhook, with its deliveries',
    tag: 'webhooks',
    needs: 'own:write',
    params: ById,
    answer: z.object({}),
  },
  'POST /webhooks/{id}/enable': {
    summary: 'Send to a webhook again: what waits, and what happens from now on',
    tag: 'webhooks',
    needs: 'own:write',
    params: ById,
    answer: z.object({ webhook: Webhook }),
  },
  'POST /webhooks/{id}/disable': {
    summary: 'Send nothing more to a webhook',
    tag: 'webhooks',
    needs: 'own:write',
    params: ById,
    answer: z.object({ webhook: Webhook }),
  },
  'POST /webhooks/{id}/test': {
    summary: 'Send a test message now, once, and say what was answered',
    tag: 'webhooks',
    needs: 'own:write',
    params: ById,
    answer: DeliveryAnswer,
  },
  'GET /webhooks/{id}/deliveries': {
    summary: 'What a webhook was told in the last seven days, the newest first',
    tag: 'webhooks',
    needs: 'own:read',
    params: ById,
    query: z.object({ cursor: Cursor.optional(), limit: Limit.default(50) }),
    answer: WebhookDeliveryPage,
  },
  'POST /webhooks/{id}/replay': {
    summary: 'Send one delivery again, or those that failed since a time: 10,000 at most',
    tag: 'webhooks',
    needs: 'own:write',
    params: ById,
    body: Replay,
    answer: z.object({ replayed: z.int() }),
  },
} as const;
