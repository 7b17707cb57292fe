import {
  DELIVERY_STATES,
  type DeliveryAnswer,
  type DeliveryEnd,
  type DeliveryPlace,
  type DueDelivery,
  type NewWebhook,
  type PrincipalId,
  type UnderWay,
  type Webhook,
  type WebhookDelivery,
  type WebhookStore,
} from '@longshore/core';
import * as z from 'zod';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { DUE_DELIVERY_COLUMNS, DueDeliveryRow, leaseOf } from '../rows/due-delivery-row.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { deliveryEventColumn, WEBHOOK_COLUMNS, WebhookRow } from '../rows/webhook-row.ts';
import { lockWebhookMark } from '../statements/lock-webhook-mark.ts';
import { noteEndedTasks } from '../statements/note-ended-tasks.ts';
import { noteFailingBatches } from '../statements/note-failing-batches.ts';
import { noteQuestions } from '../statements/note-questions.ts';
import { settleDelivery } from '../statements/settle-delivery.ts';
import { takeDeliveries } from '../statements/take-deliveries.ts';

const MOST_REPLAYED = 10_000;
const DELETED_AT_ONCE = 10_000;

/** Longer than an attempt: what is due later than that is not under way. */
const SURELY_IDLE = Prisma.sql`interval '1 min'`;

const Id = z.object({ id: z.string() });

const DeliveryRow = z
  .object({
    id: z.string(),
    task_id: taskIdColumn.nullable(),
    event: deliveryEventColumn,
    occurred_at: z.date(),
    state: z.enum(DELIVERY_STATES),
    attempt: z.number(),
    next_attempt_at: z.date().nullable(),
    response_status: z.number().nullable(),
    response_text: z.string().nullable(),
    error: z.string().nullable(),
    latency_ms: z.number().nullable(),
    created_at: z.date(),
  })
  .transform(
    (row): WebhookDelivery => ({
      id: row.id,
      taskId: row.task_id,
      event: row.event,
      occurredAt: row.occurred_at,
      state: row.state,
      attempts: row.attempt,
      nextAttemptAt: row.next_attempt_at,
      answer:
        row.latency_ms === null
          ? null
          : {
              status: row.response_status,
              text: row.response_text,
              error: row.error,
              latencyMs: row.latency_ms,
            },
      createdAt: row.created_at,
    }),
  );

/** Reads and writes by id are by the primary keys; there are few webhooks. */
export class PostgresWebhookStore implements WebhookStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async create(webhook: NewWebhook, most: number): Promise<Webhook | null> {
    const { id, principalId, madeBy, url, secret, events, failingShare } = webhook;
    const [row] = await this.#runner.run({
      name: 'create-webhook',
      row: WebhookRow,
      sql: Prisma.sql`
        INSERT INTO webhooks AS w (id, principal_id, made_by, url, secret, events, failing_share)
        SELECT ${id}::uuid, ${principalId}::uuid, ${madeBy}::uuid, ${url}, ${secret}, ${[...events]}::text[], ${failingShare}::float8
        WHERE (SELECT count(*) FROM webhooks AS o WHERE o.principal_id IS NOT DISTINCT FROM ${principalId}::uuid) < ${most}::int
        RETURNING ${WEBHOOK_COLUMNS}`,
    });
    return row ?? null;
  }

  async list(owner: PrincipalId | null): Promise<readonly Webhook[]> {
    return this.#runner.run({
      name: 'list-webhooks',
      row: WebhookRow,
      sql: Prisma.sql`
        SELECT ${WEBHOOK_COLUMNS} FROM webhooks AS w
        WHERE ${owner}::uuid IS NULL OR w.principal_id = ${owner}::uuid
        ORDER BY w.created_at DESC, w.id DESC`,
    });
  }

  async find(id: string, owner: PrincipalId | null): Promise<Webhook | null> {
    if (!isUuid(id)) return null;
    const [row] = await this.#runner.run({
      name: 'find-webhook',
      row: WebhookRow,
      sql: Prisma.sql`
        SELECT ${WEBHOOK_COLUMNS} FROM webhooks AS w
        WHERE w.id = ${id}::uuid AND (${owner}::uuid IS NULL OR w.principal_id = ${owner}::uuid)`,
    });
    return row ?? null;
  }

  async remove(id: string): Promise<boolean> {
    const { count } = await this.#runner.ask('remove-webhook', (prisma) =>
      prisma.webhook.deleteMany({ where: { id } }),
    );
    return count > 0;
  }

  async setEnabled(id: string, isEnabled: boolean): Promise<boolean> {
    const enabledAt = isEnabled ? await this.#runner.now() : null;
    const data = { enabledAt, disabledReason: isEnabled ? null : 'asked', failures: 0 };
    const { count } = await this.#runner.ask('enable-webhook', (prisma) =>
      // One that is enabled stays so since when it is.
      prisma.webhook.updateMany({
        where: { id, enabledAt: isEnabled ? null : { not: null } },
        data,
      }),
    );
    return count > 0;
  }

  /** Index: webhook_deliveries_newest_idx in its own order, from the place on. */
  async deliveries(
    webhookId: string,
    limit: number,
    after: DeliveryPlace | null,
  ): Promise<readonly WebhookDelivery[]> {
    const position =
      after === null
        ? Prisma.empty
        : Prisma.sql`AND (d.created_at, d.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`;
    return this.#runner.run({
      name: 'list-deliveries',
      row: DeliveryRow,
      sql: Prisma.sql`
        SELECT d.id, d.task_id, d.event, d.occurred_at, d.state, d.attempt, d.next_attempt_at, d.response_status,
          d.response_text, d.error, d.latency_ms, d.created_at
        FROM webhook_deliveries AS d WHERE d.webhook_id = ${webhookId}::uuid ${position}
        ORDER BY d.created_at DESC, d.id DESC LIMIT ${limit}::int`,
    });
  }

  async replay(webhookId: string, deliveryId: string): Promise<boolean> {
    const rows = await this.#replay(
      Prisma.sql`d.webhook_id = ${webhookId}::uuid AND d.id = ${deliveryId}::uuid`,
    );
    return rows > 0;
  }

  /** Index: webhook_deliveries_newest_idx, the range. */
  async replayFailed(webhookId: string, from: Date, to: Date): Promise<number> {
    return this.#replay(Prisma.sql`
      d.webhook_id = ${webhookId}::uuid AND d.state IN ('failed', 'dead')
      AND d.created_at >= ${from}::timestamptz AND d.created_at < ${to}::timestamptz`);
  }

  async hasEnabled(): Promise<boolean> {
    const [row] = await this.#runner.run({
      name: 'has-enabled-webhooks',
      row: z.object({ has: z.boolean() }),
      sql: Prisma.sql`SELECT EXISTS (SELECT FROM webhooks AS w WHERE w.enabled_at IS NOT NULL) AS has`,
    });
    return row?.has ?? false;
  }

  async noteEvents(): Promise<number | null> {
    return this.#runner.transaction('note-webhook-events', async (runner) => {
      const mark = await lockWebhookMark(runner);
      if (mark === null) return null;
      // Before the ends: what a task asked comes before what became of it.
      if (mark.events.has('task.input_required')) await noteQuestions(runner);
      if (mark.events.has('batch.failing') && mark.batchesAreDue) await noteFailingBatches(runner);
      return mark.until > mark.since ? noteEndedTasks(runner, mark.since, mark.until) : 0;
    });
  }

  take(most: number, underWay: UnderWay, leaseMs: number): Promise<readonly DueDelivery[]> {
    return takeDeliveries(this.#runner, most, underWay, leaseMs);
  }

  async takeTest(webhookId: string, leaseMs: number): Promise<DueDelivery | null> {
    const [row] = await this.#runner.run({
      name: 'take-test-delivery',
      row: DueDeliveryRow,
      sql: Prisma.sql`
        WITH w AS (SELECT * FROM webhooks WHERE id = ${webhookId}::uuid), d AS (
          INSERT INTO webhook_deliveries (id, webhook_id, event, subject, occurred_at, data, attempt, next_attempt_at)
          SELECT gen_random_uuid(), w.id, 'webhook.test', '', now(), '{}'::json, 1, ${leaseOf(leaseMs)} FROM w
          RETURNING *
        )
        SELECT ${DUE_DELIVERY_COLUMNS} FROM d, w`,
    });
    return row ?? null;
  }

  settle(delivery: DueDelivery, answer: DeliveryAnswer, end: DeliveryEnd): Promise<void> {
    return settleDelivery(this.#runner, delivery, answer, end);
  }

  async giveBack({ id, attempt }: DueDelivery): Promise<void> {
    const nextAttemptAt = await this.#runner.now();
    await this.#runner.ask('give-back-delivery', (prisma) =>
      prisma.webhookDelivery.updateMany({
        where: { id, attempt, nextAttemptAt: { not: null } },
        data: { attempt: attempt - 1, nextAttemptAt },
      }),
    );
  }

  /** Index: webhook_deliveries_created_at_idx, from its beginning. */
  async deleteOld(): Promise<void> {
    let deleted: number;
    do {
      const rows = await this.#runner.run({
        name: 'delete-old-deliveries',
        row: Id,
        sql: Prisma.sql`
          DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
            SELECT d.id FROM webhook_deliveries AS d WHERE d.created_at < now() - interval '7 days'
            ORDER BY d.created_at LIMIT ${DELETED_AT_ONCE}::int))
          RETURNING id`,
      });
      deleted = rows.length;
    } while (deleted === DELETED_AT_ONCE);
  }

  /** What is under way is left alone: if it fails it is tried again. */
  async #replay(which: Prisma.Sql): Promise<number> {
    const rows = await this.#runner.run({
      name: 'replay-deliveries',
      row: Id,
      sql: Prisma.sql`
        UPDATE webhook_deliveries SET state = 'pending', attempt = 0, next_attempt_at = now()
        WHERE id = ANY (ARRAY(
          SELECT d.id FROM webhook_deliveries AS d
          WHERE ${which} AND (d.next_attempt_at > now() + ${SURELY_IDLE}) IS NOT FALSE
          ORDER BY d.created_at, d.id LIMIT ${MOST_REPLAYED}::int FOR NO KEY UPDATE SKIP LOCKED))
        RETURNING id`,
    });
    return rows.length;
  }
}
