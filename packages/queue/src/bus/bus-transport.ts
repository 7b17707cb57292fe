/** A message on its way to a channel, both as text. */
export interface Outgoing {
  readonly channel: string;
  readonly payload: string;
}

export interface BusTransportEvents {
  /** The listening connection is there; it listens to nothing yet. */
  readonly up: () => void;
  /** The listening connection is gone; until the next `up` messages are missed. */
  readonly down: () => void;
  readonly message: (channel: string, payload: string) => void;
}

/** Pub/sub of a server as the bus needs it. All waiting is bounded, by seconds. */
export interface BusTransport {
  /**
   * Connects, and goes on reconnecting until `disconnect`.
   *
   * @throws {LongshoreError} QUEUE_UNAVAILABLE when the server does not answer, or when `signal` fires
   */
  connect(events: BusTransportEvents, signal: AbortSignal): Promise<void>;
  disconnect(): Promise<void>;
  /** Rejects when the connection broke; what listens then is unknown until the next `up`. */
  change(listen: readonly string[], unlisten: readonly string[]): Promise<void>;
  /** Sends in this order. When it rejects, any of the messages may have been sent. */
  send(messages: readonly Outgoing[]): Promise<void>;
}
