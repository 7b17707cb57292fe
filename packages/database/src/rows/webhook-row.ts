import { WEBHOOK_EVENTS, type Webhook, type WebhookEvent } from '@longshore/core';
import * as z from 'zod';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn } from './columns.ts';

/** Deliveries that may wait for one webhook; of what happens beyond them it is not told. */
const MOST_WAITING = 100_000;

export const webhookEventColumn = z.enum(WEBHOOK_EVENTS);
export const deliveryEventColumn = z.enum([...WEBHOOK_EVENTS, 'webhook.test']);

/** Of `webhooks`, called `w`. */
export const WEBHOOK_COLUMNS = Prisma.sql`
  w.id, w.principal_id, w.url, w.events, w.failing_share, w.disabled_reason, w.failures, w.created_at`;

export const WebhookRow = z
  .object({
    id: z.string(),
    principal_id: principalIdColumn.nullable(),
    url: z.string(),
    events: z.array(webhookEventColumn),
    failing_share: z.number(),
    disabled_reason: z.enum(['asked', 'gone']).nullable(),
    failures: z.number(),
    created_at: z.date(),
  })
  .transform(
    (row): Webhook => ({
      id: row.id,
      principalId: row.principal_id,
      url: row.url,
      events: row.events,
      failingShare: row.failing_share,
      disabledReason: row.disabled_reason,
      failures: row.failures,
      createdAt: row.created_at,
    }),
  );

/** The webhooks that want to be told of an event, and for which there is room. There are few. */
export const listeningTo = (...events: WebhookEvent[]): Prisma.Sql => Prisma.sql`
  SELECT w.id, w.principal_id, w.events, w.failing_share, w.enabled_at, w.created_at FROM webhooks AS w
  WHERE w.enabled_at IS NOT NULL AND w.events && ${events}::text[] AND NOT EXISTS (
    SELECT FROM webhook_deliveries AS d
    WHERE d.webhook_id = w.id AND d.next_attempt_at IS NOT NULL OFFSET ${MOST_WAITING}::int)`;

/** Whether a task `t` is one that a webhook `w` is told of: it was made after it, by its principal. */
export const IS_TOLD_OF = Prisma.sql`
  (w.principal_id IS NULL OR w.principal_id = t.principal_id) AND t.created_at >= w.created_at`;

const rfc3339 = (instant: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`to_char(${instant} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** What receivers are told of a task `t`, as `{ taskId, tool, phase, … }`: nothing that its client or its tool has written. */
export const taskData = (phase: Prisma.Sql, more: Prisma.Sql = Prisma.empty): Prisma.Sql =>
  Prisma.sql`
    json_build_object('taskId', t.id, 'tool', t.tool_name, 'phase', ${phase}, 'principal', t.principal_id,
      'createdAt', ${rfc3339(Prisma.sql`t.created_at`)}, 'finishedAt', ${rfc3339(Prisma.sql`t.finished_at`)},
      'attempt', t.attempt ${more})`;
