import type { Logger, Service } from '@longshore/core';

/** What a process has started, to be stopped in reverse. */
export class StartedServices {
  readonly #log: Logger;
  readonly #steps: { readonly name: string; readonly stop: () => Promise<void> }[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** For parts that are opened rather than started. */
  add(name: string, stop: () => Promise<void>): void {
    this.#steps.push({ name, stop });
  }

  /** Also stops a part whose start fails half-way, when everything is stopped. */
  async start(name: string, service: Service): Promise<void> {
    this.add(name, () => service.stop());
    await service.start();
  }

  /** Never rejects: one part that does not stop keeps no other from stopping. */
  async stop(): Promise<void> {
    for (const { name, stop } of this.#steps.splice(0).reverse()) {
      try {
        await stop();
      } catch (err) {
        this.#log.warn({ err }, `${name} did not stop`);
      }
    }
  }
}
