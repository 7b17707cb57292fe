import { withDeadline } from '@longshore/core';
import { endsWithin, pause } from '../connections/deadline.ts';
import type { ErrorLog } from '../connections/error-log.ts';
import { RESYNC_PAYLOAD } from './bus-codec.ts';
import type { Outgoing } from './bus-transport.ts';

/** Messages per command to the server. */
const MAX_BATCH = 200;

/** Pause before a server that took no message is tried again. */
const RETRY_MS = 200;

/** How long `stop` goes on sending what is still there. */
const FLUSH_TIMEOUT_MS = 1_000;

export interface BusPublisherOptions {
  readonly send: (messages: readonly Outgoing[]) => Promise<void>;
  readonly errors: ErrorLog;
  /** Milliseconds until a message that was not taken counts as lost. */
  readonly answerMs: number;
  /** Messages kept while the server is slow, and channels remembered while it is away; 10,000 by default. */
  readonly maxPending?: number;
}

interface Pending extends Outgoing {
  readonly settle: () => void;
}

/**
 * The sending half of the bus: groups the messages of one turn, one command under way at a time, so that
 * a process's messages keep their order.
 *
 * A message that can not be sent is dropped, but not forgotten: its channel gets a `resync` as soon as
 * messages get through again, so its listeners know that they missed something. That keeps memory bounded,
 * repeats no message, and does not bring old news after a long outage.
 */
export class BusPublisher {
  readonly #send: (messages: readonly Outgoing[]) => Promise<void>;
  readonly #errors: ErrorLog;
  readonly #answerMs: number;
  readonly #maxPending: number;
  readonly #missed = new Set<string>();
  #pending: Pending[] = [];
  #isFailing = false;
  #isSending = false;
  #work: Promise<void> = Promise.resolve();
  #abort: AbortController | null = null;

  constructor(options: BusPublisherOptions) {
    this.#send = options.send;
    this.#errors = options.errors;
    this.#answerMs = options.answerMs;
    this.#maxPending = options.maxPending ?? 10_000;
  }

  start(): void {
    this.#abort = new AbortController();
    this.#isSending = false;
  }

  /** Sends what it still has, for a second at most. */
  async stop(): Promise<void> {
    const abort = this.#abort;
    this.#abort = null;
    await endsWithin(this.#work, FLUSH_TIMEOUT_MS);
    abort?.abort();
    this.#dropPending();
    this.#missed.clear();
  }

  /** Resolves when the message was sent or dropped, after some seconds at most. Never rejects. */
  publish(channel: string, payload: string): Promise<void> {
    const isFull = this.#pending.length >= this.#maxPending;
    if (this.#abort === null || this.#isFailing || isFull) {
      if (isFull) this.#errors.warn({ waiting: this.#pending.length }, 'too many messages wait');
      this.#miss(channel);
      return Promise.resolve();
    }
    const { signal } = this.#abort;
    return new Promise((settle) => {
      this.#pending.push({ channel, payload, settle });
      if (this.#isSending) return;
      this.#isSending = true;
      this.#work = this.#sendAll(signal);
    });
  }

  async #sendAll(signal: AbortSignal): Promise<void> {
    // Everything published in this turn travels together.
    await new Promise((resolve) => setImmediate(resolve));
    while (!signal.aborted && (this.#pending.length > 0 || this.#missed.size > 0)) {
      await this.#sendBatch();
      if (this.#isFailing) await pause(RETRY_MS, signal);
    }
    // At once, so that no message comes between the last look and this.
    if (!signal.aborted) this.#isSending = false;
  }

  async #sendBatch(): Promise<void> {
    const missed = [...this.#missed].slice(0, MAX_BATCH);
    for (const channel of missed) this.#missed.delete(channel);
    const batch = this.#pending.splice(0, MAX_BATCH);
    const resyncs = missed.map((channel) => ({ channel, payload: RESYNC_PAYLOAD }));
    try {
      const sent = this.#send([...resyncs, ...batch]);
      await withDeadline(sent, this.#answerMs, () => new Error('no answer'));
      this.#isFailing = false;
    } catch (error) {
      this.#isFailing = true;
      this.#errors.warn({ err: error }, 'messages could not be published');
      for (const channel of missed) this.#miss(channel);
      for (const { channel } of batch) this.#miss(channel);
      this.#dropPending();
    }
    for (const { settle } of batch) settle();
  }

  #dropPending(): void {
    const dropped = this.#pending;
    this.#pending = [];
    for (const { channel, settle } of dropped) {
      this.#miss(channel);
      settle();
    }
  }

  #miss(channel: string): void {
    if (this.#missed.size < this.#maxPending) this.#missed.add(channel);
  }
}
