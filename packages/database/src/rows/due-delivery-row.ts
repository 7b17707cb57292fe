import type { DueDelivery } from '@longshore/core';
import * as z from 'zod';
import { Prisma } from '../generated/client.ts';
import { jsonObjectColumn } from './columns.ts';
import { deliveryEventColumn } from './webhook-row.ts';

/** Of `webhook_deliveries`, called `d`, and its webhook `w`. */
export const DUE_DELIVERY_COLUMNS = Prisma.sql`
  d.id, d.webhook_id, w.url, w.secret, d.event, d.occurred_at, d.data, d.attempt`;

export const DueDeliveryRow = z
  .object({
    id: z.string(),
    webhook_id: z.string(),
    url: z.string(),
    secret: z.string(),
    event: deliveryEventColumn,
    occurred_at: z.date(),
    data: jsonObjectColumn,
    attempt: z.number(),
  })
  .transform(
    ({ webhook_id: webhookId, occurred_at: occurredAt, ...row }): DueDelivery => ({
      ...row,
      webhookId,
      occurredAt,
    }),
  );

/** When another attempt may take the place of the one that begins. */
export const leaseOf = (ms: number): Prisma.Sql =>
  Prisma.sql`now() + ${ms}::float8 * interval '1 ms'`;
