import type { ServerResponse } from 'node:http';
import {
  type AuthBindingId,
  CREDENTIALS_TOPIC,
  type EventBus,
  type Service,
  type Subscription,
} from '@longshore/core';
import { whenClosed } from '../when-closed.ts';

/**
 * Cuts what a revoked credential holds open here: streams and calls that began while it was good. A call
 * that was cut runs on as its era has it; whoever comes back for it needs a valid credential.
 */
export class OpenResponses implements Service {
  readonly #bus: EventBus;
  readonly #open = new Map<AuthBindingId, Set<ServerResponse>>();
  #subscription: Subscription | null = null;

  constructor(bus: EventBus) {
    this.#bus = bus;
  }

  async start(): Promise<void> {
    this.#subscription ??= await this.#bus.subscribe(CREDENTIALS_TOPIC, (event) => {
      if (event.kind !== 'credential-revoked') return;
      for (const response of [...(this.#open.get(event.authBindingId) ?? [])]) response.destroy();
    });
  }

  async stop(): Promise<void> {
    await this.#subscription?.close();
    this.#subscription = null;
  }

  /** To be called before anything is sent. */
  add(credential: AuthBindingId, response: ServerResponse): void {
    const open = this.#open.get(credential) ?? new Set();
    this.#open.set(credential, open.add(response));
    whenClosed(response, () => {
      open.delete(response);
      if (open.size === 0 && this.#open.get(credential) === open) this.#open.delete(credential);
    });
  }
}
