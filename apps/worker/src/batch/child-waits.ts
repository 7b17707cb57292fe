import {
  childrenTopic,
  type EventBus,
  type Logger,
  type Subscription,
  type TaskId,
} from '@longshore/core';

export interface ChildWaitsOptions {
  readonly taskId: TaskId;
  readonly bus: EventBus;
  readonly log: Logger;
  /** How often one looks without any message, in milliseconds; 1 s by default. */
  readonly recheckMs?: number;
}

const RECHECK_MS = 1_000;

/**
 * Wakes those parts of a running task that wait for tasks it has started: when one of these says that it
 * changed, when messages may have been missed, and regularly, so that nothing depends on a message.
 */
export class ChildWaits {
  readonly #options: ChildWaitsOptions;
  readonly #listeners = new Set<() => void>();
  #subscription: Promise<Subscription | null> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: ChildWaitsOptions) {
    this.#options = options;
  }

  /** Calls `listener` from now on. @returns ends that */
  async listen(listener: () => void): Promise<() => void> {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#wake(), this.#options.recheckMs ?? RECHECK_MS);
    this.#subscription ??= this.#subscribe();
    await this.#subscription;
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    if (this.#timer !== null) clearInterval(this.#timer);
    const subscription = await this.#subscription;
    await subscription?.close().catch(() => {});
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Without a bus it looks regularly, and that is enough. */
  async #subscribe(): Promise<Subscription | null> {
    const { bus, taskId, log } = this.#options;
    try {
      const subscription = await bus.subscribe(childrenTopic(taskId), () => this.#wake());
      if (!this.#isClosed) return subscription;
      await subscription.close();
    } catch (err) {
      log.warn({ taskId, err }, 'no messages of started tasks');
    }
    return null;
  }
}
