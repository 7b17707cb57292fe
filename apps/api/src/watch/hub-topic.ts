import type { BusEvent, BusMessage, Logger, RequestId, TaskId } from '@longshore/core';
import { type Hubs, type StreamEvent, TopicTurns } from './turns.ts';

/**
 * @param released the task that nobody waits for any more since this event; null: none
 */
export type HearEvent = (event: BusEvent, released: TaskId | null) => void;

/** What is heard of a topic: of one task, the withdrawal of one request, or everything. */
export type Interest =
  | { readonly taskId: TaskId }
  | { readonly requestId: RequestId }
  | 'everything';

/**
 * One topic of the bus, listened to once for all who want something of it here. Each event goes to those it
 * concerns and to nobody else, whatever their number.
 */
export class HubTopic {
  readonly turns: TopicTurns;
  readonly #log: Logger;
  readonly #routes = new Map<string, Set<HearEvent>>();

  constructor(options: { hubs: Hubs; log: Logger; say: (message: BusMessage) => Promise<void> }) {
    this.turns = new TopicTurns(options.hubs, options.say);
    this.#log = options.log;
  }

  get isEmpty(): boolean {
    return this.#routes.size === 0;
  }

  /** How many different things are listened for. */
  get size(): number {
    return this.#routes.size;
  }

  add(interest: Interest, hear: HearEvent): () => void {
    const route = routeOf(interest);
    const heard = this.#routes.get(route) ?? new Set();
    this.#routes.set(route, heard.add(hear));
    return () => {
      if (heard.delete(hear) && heard.size === 0) this.#routes.delete(route);
    };
  }

  hear(event: BusEvent): void {
    if (event.kind === 'streams-open') {
      for (const [stream, taskId] of event.streams) {
        this.#streamEvent({ kind: 'stream-open', stream, taskId, hub: event.hub });
      }
    } else if (event.kind === 'stream-open' || event.kind === 'stream-close') {
      this.#streamEvent(event);
    } else if (event.kind === 'resync') {
      const answer = this.turns.missed();
      for (const heard of [...this.#routes.values()]) this.#tell(heard, event);
      void this.turns.propose(answer);
    } else if (event.kind === 'request-cancelled') {
      this.#tell(this.#routes.get(routeOf({ requestId: event.requestId })), event);
      this.#tell(this.#routes.get(EVERYTHING), event);
    } else this.#pass(event, null);
  }

  #streamEvent(event: StreamEvent): void {
    const { released, answer } = this.turns.observe(event);
    this.#pass(event, released);
    void this.turns.propose(answer);
  }

  #pass(event: BusEvent, released: TaskId | null): void {
    if ('taskId' in event && event.taskId !== null) {
      this.#tell(this.#routes.get(routeOf({ taskId: event.taskId })), event, released);
    }
    this.#tell(this.#routes.get(EVERYTHING), event, released);
  }

  /** One that throws keeps nothing from the others. */
  #tell(
    heard: ReadonlySet<HearEvent> | undefined,
    event: BusEvent,
    released: TaskId | null = null,
  ): void {
    if (heard === undefined) return;
    for (const hear of [...heard]) {
      try {
        hear(event, released);
      } catch (error) {
        this.#log.error({ err: error, kind: event.kind }, 'listener of the hub threw');
      }
    }
  }
}

const EVERYTHING = '';

function routeOf(interest: Interest): string {
  if (interest === 'everything') return EVERYTHING;
  if ('taskId' in interest) return interest.taskId;
  // The numbers and the texts of JSON-RPC are different ids.
  return JSON.stringify(interest.requestId);
}
