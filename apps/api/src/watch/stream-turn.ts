import type { BusEvent, EventBus, TaskId } from '@longshore/core';

export interface TurnOptions {
  readonly bus: EventBus;
  /** The session's topic. */
  readonly topic: string;
  /** The task that is waited for; null: the session's GET streams. */
  readonly taskId: TaskId | null;
  /** UUID of this stream. */
  readonly stream: string;
  /** Called when the client has come back for this stream on another connection. */
  readonly superseded: () => void;
}

/** Whether a stream carries the messages that come now. */
export interface Turn {
  readonly mine: boolean;
  /** @param resumed UUID of the stream the client has come back from; it ends, if it is still there */
  open(resumed: string | null): Promise<void>;
  /** Makes itself known again, to a stream that has just opened. */
  announce(): Promise<void>;
  /** To be called with every event of the topic, in order, before the event is acted on. */
  observe(event: BusEvent): void;
  close(): Promise<void>;
}

/** Every open stream says again that it is there, which heals whatever a crash left behind. */
const ANNOUNCE_MS = 10_000;

/**
 * Decides which one of several open streams, on whatever API replicas, carries a notification. MCP wants
 * each message on one stream only (2025-11-25 basic/transports, "Multiple Connections").
 *
 * All streams of a session listen to the session's topic and see its messages in one order. A stream says
 * `stream-open` there, and whoever said it last has the turn from that message on; everybody sees the
 * same last one, so nobody has to be asked and there is never a message that two streams carry. When the
 * stream with the turn says `stream-close`, the others say `stream-open` again. When it dies without a
 * word, the next announcement of another one takes over.
 *
 * There is a turn per task, among the streams that wait for it (tasks/result), and one for the session,
 * among its GET streams; a GET stream leaves a task alone while somebody waits for it (`SessionStream`).
 */
export class StreamTurn implements Turn {
  readonly #options: TurnOptions;
  #mine = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  get mine(): boolean {
    return this.#mine;
  }

  async open(resumed: string | null): Promise<void> {
    this.#timer = setInterval(() => void this.announce(), ANNOUNCE_MS).unref();
    await this.announce();
    // After the announcement: nobody takes the older stream's place for a moment.
    if (resumed !== null) await this.#publish('stream-close', resumed);
  }

  async announce(): Promise<void> {
    if (this.#timer !== null) await this.#publish('stream-open', this.#options.stream);
  }

  observe(event: BusEvent): void {
    if (event.kind === 'resync') {
      this.#mine = false;
      void this.announce();
      return;
    }
    if (event.kind !== 'stream-open' && event.kind !== 'stream-close') return;
    const { taskId, stream, superseded } = this.#options;
    if (event.taskId !== taskId) return;
    if (event.kind === 'stream-open') this.#mine = event.stream === stream;
    else if (event.stream !== stream) void this.announce();
    else if (this.#timer !== null) superseded();
  }

  async close(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#mine = false;
    await this.#publish('stream-close', this.#options.stream);
  }

  async #publish(kind: 'stream-open' | 'stream-close', stream: string): Promise<void> {
    const { bus, topic, taskId } = this.#options;
    await bus.publish(topic, { kind, stream, taskId });
  }
}

/**
 * The turn of a held call, which has one stream and needs no announcements: only a stream whose client has
 * come back says so, and the older one ends.
 */
export class SoleTurn implements Turn {
  readonly #options: TurnOptions;
  #announced = false;
  #mine = true;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  get mine(): boolean {
    return this.#mine;
  }

  async open(resumed: string | null): Promise<void> {
    if (resumed === null) return;
    this.#announced = true;
    await this.#publish('stream-open');
  }

  announce(): Promise<void> {
    return Promise.resolve();
  }

  observe(event: BusEvent): void {
    const { taskId, stream, superseded } = this.#options;
    if (event.kind !== 'stream-open' || event.taskId !== taskId || event.stream === stream) return;
    if (this.#mine) superseded();
    this.#mine = false;
  }

  async close(): Promise<void> {
    this.#mine = false;
    if (this.#announced) await this.#publish('stream-close');
  }

  async #publish(kind: 'stream-open' | 'stream-close'): Promise<void> {
    const { bus, topic, taskId, stream } = this.#options;
    await bus.publish(topic, { kind, stream, taskId });
  }
}
