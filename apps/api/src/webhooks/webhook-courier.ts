import type { Config } from '@longshore/config';
import {
  type DeliveryAnswer,
  type DeliveryEnd,
  type DueDelivery,
  type Logger,
  PeriodicService,
  type WebhookStore,
} from '@longshore/core';
import type { ApiMetrics } from '@longshore/metrics';
import { WebhookAddresses } from './webhook-addresses.ts';
import type { WebhookSender } from './webhook-sender.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** After each failed attempt, until the next one: a day and some hours in all. */
const RETRY_IN_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  8 * HOUR,
];

/** Until another API takes what this one has begun: longer than an attempt may take. */
const LEASE_MS = 15 * SECOND;
/** Attempts at once. */
const PLACES = 64;
const INTERVAL_MS = SECOND;
/** Between two questions whether there are webhooks at all. */
const IDLE_MS = 5 * SECOND;
const CLEAN_EVERY_MS = HOUR;
/** Many attempts that end are one look for what is due next. */
const MIN_GAP_MS = 20;

export interface WebhookCourierOptions {
  readonly store: WebhookStore;
  readonly config: Pick<Config, 'WEBHOOK_PRIVATE_HOSTS'>;
  readonly metrics: ApiMetrics;
  readonly log: Logger;
}

/**
 * Finds what webhooks are to be told, one API at a time, and sends what is due, any API. While there is no webhook it asks whether
 * there is one, every five seconds, and nothing else.
 *
 * A delivery is taken for a while and its attempt counted before it is sent: an API that is killed loses nothing, and what it may
 * have sent is sent again under the same id.
 */
export class WebhookCourier extends PeriodicService {
  readonly store: WebhookStore;
  readonly addresses: WebhookAddresses;
  readonly #options: WebhookCourierOptions;
  readonly #underWay = new Map<string, Set<Promise<void>>>();
  readonly #stopping = new AbortController();
  #sender: Promise<WebhookSender> | null = null;
  #idleUntil = 0;
  #lookAt = 0;
  #cleanAt = 0;

  constructor(options: WebhookCourierOptions) {
    const { log } = options;
    super({
      name: 'webhooks',
      intervalMs: INTERVAL_MS,
      minGapMs: MIN_GAP_MS,
      maxBackoffMs: 30 * SECOND,
      log,
    });
    this.#options = options;
    this.store = options.store;
    this.addresses = new WebhookAddresses(options.config.WEBHOOK_PRIVATE_HOSTS ?? []);
  }

  /** Somebody has made or changed a webhook, or replays. */
  wake(): void {
    this.#idleUntil = 0;
    this.poke();
  }

  async runOnce(): Promise<void> {
    const { store } = this;
    const now = performance.now();
    if (now < this.#idleUntil) return;
    if (now >= this.#lookAt) {
      if (!(await store.hasEnabled())) {
        this.#idleUntil = now + IDLE_MS;
        return;
      }
      if (now >= this.#cleanAt) {
        await store.deleteOld();
        this.#cleanAt = now + CLEAN_EVERY_MS;
      }
      const lookedAt = await store.noteEvents();
      // More may have ended than one look takes.
      if (lookedAt === null || lookedAt === 0) this.#lookAt = now + INTERVAL_MS;
      else this.poke();
    }
    await this.#sendDue();
  }

  /** Sends a test message now. @returns null when there is no such webhook */
  async test(webhookId: string): Promise<DeliveryAnswer | null> {
    const { store } = this;
    const delivery = await store.takeTest(webhookId, LEASE_MS);
    if (delivery === null) return null;
    const answer = await (await this.#open()).send(delivery, this.#stopping.signal);
    const kind = answer.error === null ? 'delivered' : answer.status === 410 ? 'gone' : 'dead';
    await store.settle(delivery, answer, { kind });
    return answer;
  }

  /** Attempts under way are given back. */
  override async stop(): Promise<void> {
    await super.stop();
    this.#stopping.abort();
    await Promise.all([...this.#underWay.values()].flatMap((attempts) => [...attempts]));
    await (await this.#sender?.catch(() => null))?.close();
  }

  async #sendDue(): Promise<void> {
    const counts = new Map([...this.#underWay].map(([id, attempts]) => [id, attempts.size]));
    const free = PLACES - [...counts.values()].reduce((sum, n) => sum + n, 0);
    if (free === 0) return;
    for (const delivery of await this.store.take(free, counts, LEASE_MS)) {
      this.#begin(delivery);
    }
  }

  #begin(delivery: DueDelivery): void {
    const { webhookId } = delivery;
    const attempts = this.#underWay.get(webhookId) ?? new Set();
    this.#underWay.set(webhookId, attempts);
    const attempt = this.#attempt(delivery)
      .catch((error: unknown) => {
        // Its lease ends, and it is tried again.
        this.#options.log.warn({ deliveryId: delivery.id, err: error }, 'delivery was not settled');
      })
      .finally(() => {
        attempts.delete(attempt);
        if (attempts.size === 0) this.#underWay.delete(webhookId);
        this.poke();
      });
    attempts.add(attempt);
  }

  async #attempt(delivery: DueDelivery): Promise<void> {
    const { store } = this;
    const { log, metrics } = this.#options;
    const { signal } = this.#stopping;
    const { id: deliveryId, webhookId, attempt } = delivery;
    const sender = await this.#open();
    let answer: DeliveryAnswer;
    try {
      answer = await sender.send(delivery, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      await store.giveBack(delivery);
      return;
    }
    const end = endOf(answer, attempt);
    await store.settle(delivery, answer, end);
    metrics.webhookTold(end.kind);
    const { status, error, latencyMs } = answer;
    const facts = { deliveryId, webhookId, attempt, status, latencyMs };
    if (end.kind === 'delivered') log.debug(facts, 'webhook told');
    else log.info({ ...facts, reason: error, end: end.kind }, 'webhook could not be told');
  }

  /** Loaded with the first message: few have webhooks. */
  #open(): Promise<WebhookSender> {
    this.#sender ??= import('./webhook-sender.ts')
      .then(({ WebhookSender }) => new WebhookSender(this.addresses.policy, PLACES))
      .catch((error: unknown) => {
        this.#sender = null;
        throw error;
      });
    return this.#sender;
  }
}

function endOf({ status, error }: DeliveryAnswer, attempt: number): DeliveryEnd {
  if (error === null) return { kind: 'delivered' };
  if (status === 410) return { kind: 'gone' };
  const pauseMs = RETRY_IN_MS[attempt - 1];
  if (pauseMs === undefined) return { kind: 'dead' };
  // Up to a tenth more, so that what failed together comes back apart.
  return { kind: 'failed', retryInMs: Math.round(pauseMs * (1 + Math.random() / 10)) };
}
