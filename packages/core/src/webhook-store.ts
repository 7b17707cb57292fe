import type { PrincipalId, TaskId } from './brand.ts';
import type { JsonObject } from './json.ts';

/** What webhooks are told of. `batch.failing`: once a batch, while it runs. */
export const WEBHOOK_EVENTS = [
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.input_required',
  'batch.failing',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export interface NewWebhook {
  /** UUID. */
  readonly id: string;
  /** Whose tasks; null: those of all. */
  readonly principalId: PrincipalId | null;
  readonly madeBy: PrincipalId;
  readonly url: string;
  /** `whsec_` and base64. Signs the messages; read by whoever sends them, and shown to nobody. */
  readonly secret: string;
  readonly events: readonly WebhookEvent[];
  /** Share of the settled items of a batch, above 0 and up to 1, that must have failed for `batch.failing`. */
  readonly failingShare: number;
}

export interface Webhook extends Omit<NewWebhook, 'secret' | 'madeBy'> {
  /** Why it is told nothing: somebody asked for it, or its receiver answered 410; null: it is enabled. */
  readonly disabledReason: 'asked' | 'gone' | null;
  /** Attempts in a row that failed. */
  readonly failures: number;
  readonly createdAt: Date;
}

/** A message that is to be sent now, by whoever took it. */
export interface DueDelivery {
  /** Also the id of the message: the same for each attempt. */
  readonly id: string;
  readonly webhookId: string;
  readonly url: string;
  readonly secret: string;
  readonly event: WebhookEvent | 'webhook.test';
  readonly occurredAt: Date;
  readonly data: JsonObject;
  /** 1 for the first. Also the fence: of two who think they have it, the later one counts. */
  readonly attempt: number;
}

/** What an attempt came to. */
export interface DeliveryAnswer {
  /** Null: there was no answer. */
  readonly status: number | null;
  /** The beginning of its body. */
  readonly text: string | null;
  /** Why it counts as failed; null: it does not. */
  readonly error: string | null;
  readonly latencyMs: number;
}

/** What comes of a delivery by an attempt. `gone`: nothing more is sent to this receiver. */
export type DeliveryEnd =
  | { readonly kind: 'delivered' | 'dead' | 'gone' }
  | { readonly kind: 'failed'; readonly retryInMs: number };

export const DELIVERY_STATES = ['pending', 'failed', 'delivered', 'dead'] as const;

/** A delivery as it is shown. */
export interface WebhookDelivery {
  readonly id: string;
  /** Null: it is a test. */
  readonly taskId: TaskId | null;
  readonly event: WebhookEvent | 'webhook.test';
  readonly occurredAt: Date;
  /** `pending`: not tried yet; `failed`: it is tried again; `dead`: it is not. */
  readonly state: (typeof DELIVERY_STATES)[number];
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  /** Of the latest attempt; null: there was none. */
  readonly answer: DeliveryAnswer | null;
  readonly createdAt: Date;
}

export interface DeliveryPlace {
  readonly id: string;
  readonly createdAt: Date;
}

/** Attempts under way in this process, by webhook. */
export type UnderWay = ReadonlyMap<string, number>;

/** Owners are principals; null: whoever may see all. */
export interface WebhookStore {
  /** @returns null when as many as `most` have the same principal */
  create(webhook: NewWebhook, most: number): Promise<Webhook | null>;
  /** The newest first. */
  list(owner: PrincipalId | null): Promise<readonly Webhook[]>;
  find(id: string, owner: PrincipalId | null): Promise<Webhook | null>;
  /** With its deliveries. */
  remove(id: string): Promise<boolean>;
  /** Enabled again, it is told of what happens from now on, and gets what waits. */
  setEnabled(id: string, isEnabled: boolean): Promise<boolean>;
  deliveries(
    webhookId: string,
    limit: number,
    after: DeliveryPlace | null,
  ): Promise<readonly WebhookDelivery[]>;
  /** Sends again what has ended, whatever came of it. @returns whether there is such a delivery */
  replay(webhookId: string, deliveryId: string): Promise<boolean>;
  /** Sends again what failed and was made within [from, to): 10,000 at most. @returns how many */
  replayFailed(webhookId: string, from: Date, to: Date): Promise<number>;

  /** Whether there is anything to look for, or to send. */
  hasEnabled(): Promise<boolean>;
  /**
   * Makes deliveries of what has become of tasks, a bounded number, one process at a time.
   * @returns how many tasks were looked at that ended; null when another process is at it
   */
  noteEvents(): Promise<number | null>;
  /** Takes what is due: nobody else does for `leaseMs`. In order for each task of a webhook. */
  take(most: number, underWay: UnderWay, leaseMs: number): Promise<readonly DueDelivery[]>;
  /** Makes a test message of a webhook, taken already. @returns null when there is no such webhook */
  takeTest(webhookId: string, leaseMs: number): Promise<DueDelivery | null>;
  /** Counts only for the latest attempt. */
  settle(delivery: DueDelivery, answer: DeliveryAnswer, end: DeliveryEnd): Promise<void>;
  /** The attempt did not happen: others take it. */
  giveBack(delivery: DueDelivery): Promise<void>;
  /** Deletes deliveries that were made more than a week ago. */
  deleteOld(): Promise<void>;
}
