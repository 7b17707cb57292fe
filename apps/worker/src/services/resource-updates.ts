import { type EventBus, type Logger, RESOURCES_TOPIC } from '@longshore/core';
import { wellFormed } from '../json/well-formed.ts';

/** Updates of one resource within this time are one message, in milliseconds. */
const SPACING_MS = 100;

/** Resources that may wait for their message; a plugin that names more at once has a defect. */
const WAITING_LIMIT = 10_000;

/** UTF-16 units; a message of Postgres' bus has 8,000 bytes. */
const URI_LIMIT = 2_000;

/**
 * Publishes that resources changed, as often as plugins say so but at most ten times a second each.
 * Plugins are loaded before the bus is there: until `connect` nobody could have subscribed, and what they
 * say is dropped.
 */
export class ResourceUpdates {
  readonly #log: Logger;
  readonly #waiting = new Set<string>();
  #bus: EventBus | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  connect(bus: EventBus): void {
    this.#bus = bus;
  }

  /** Publishes what waits, and from then on nothing any more. */
  async close(): Promise<void> {
    await this.#publish();
    this.#bus = null;
  }

  /** Never throws, whatever a plugin hands in. */
  updated(uri: unknown): void {
    if (this.#bus === null) return;
    if (
      typeof uri !== 'string' ||
      uri.length > URI_LIMIT ||
      /\p{Cc}/u.test(uri) ||
      !URL.canParse(uri)
    ) {
      this.#log.warn({}, 'a plugin called resourceUpdated with something that is no URI');
      return;
    }
    if (this.#waiting.size >= WAITING_LIMIT) return;
    this.#waiting.add(wellFormed(uri));
    this.#timer ??= setTimeout(() => void this.#publish(), SPACING_MS);
  }

  async #publish(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const uris = [...this.#waiting];
    this.#waiting.clear();
    const bus = this.#bus;
    if (bus === null) return;
    await Promise.all(
      uris.map((uri) => bus.publish(RESOURCES_TOPIC, { kind: 'resource-updated', uri })),
    );
  }
}
