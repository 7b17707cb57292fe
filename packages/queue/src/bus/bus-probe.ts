import { randomUUID } from 'node:crypto';
import {
  type EventBus,
  probeTopic,
  type Service,
  ServiceLifecycle,
  type Subscription,
  withDeadline,
} from '@longshore/core';

/** A message that takes longer is as good as lost. */
const LIMIT_MS = 1_000;

/** Sends itself messages over the bus, when somebody wants to know how long they take. */
export class BusProbe implements Service {
  readonly #bus: EventBus;
  readonly #topic = probeTopic(randomUUID());
  readonly #awaited = new Map<string, () => void>();
  readonly #lifecycle: ServiceLifecycle;
  #subscription: Subscription | null = null;

  constructor(bus: EventBus) {
    this.#bus = bus;
    this.#lifecycle = new ServiceLifecycle({
      up: async () => {
        this.#subscription = await bus.subscribe(this.#topic, (event) => {
          if (event.kind === 'probe') this.#awaited.get(event.id)?.();
        });
      },
      down: async () => {
        await this.#subscription?.close();
      },
    });
  }

  start(): Promise<void> {
    return this.#lifecycle.start();
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  /** @returns seconds from sending a message to hearing it; infinite when it does not come within one. Never rejects */
  async lag(): Promise<number> {
    const id = randomUUID();
    const sentAt = performance.now();
    const heard = new Promise<void>((resolve) => this.#awaited.set(id, resolve));
    void this.#bus.publish(this.#topic, { kind: 'probe', id });
    try {
      await withDeadline(heard, LIMIT_MS, () => new Error('not heard'));
      return (performance.now() - sentAt) / 1_000;
    } catch {
      return Number.POSITIVE_INFINITY;
    } finally {
      this.#awaited.delete(id);
    }
  }
}
