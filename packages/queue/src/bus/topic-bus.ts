import {
  type BusEvent,
  type BusMessage,
  type EventBus,
  type Logger,
  ServiceLifecycle,
  type Subscription,
  withDeadline,
} from '@longshore/core';
import { pause } from '../connections/deadline.ts';
import type { ErrorLog } from '../connections/error-log.ts';
import { busChannel } from '../connections/keys.ts';
import { queueUnavailable } from '../connections/queue-unavailable.ts';
import { decodeBusMessage, encodeBusMessage } from './bus-codec.ts';
import { BusPublisher } from './bus-publisher.ts';
import type { BusTransport } from './bus-transport.ts';

/** Channels per command. */
const MAX_CHANGES = 500;

/** Pause before a refused change is tried again on the same connection. */
const RETRY_MS = 200;

interface Listener {
  readonly hear: (event: BusEvent) => void;
  isOpen: boolean;
}

/** A topic somebody listens to here. */
interface Channel {
  readonly listeners: Set<Listener>;
  /** The server sends us its messages now. */
  isLive: boolean;
  /** It was live and the connection broke: its listeners must hear so. */
  hasGap: boolean;
  /** Whoever waits for it to become live. */
  waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[];
}

/**
 * The event bus over the pub/sub of any server.
 *
 * What should be listened to is the key set of `#channels`. What the server really sends on the present
 * connection is `#heard`. `#settle` brings the second in line with the first, one command at a time,
 * wherever they may differ (`#changed`); a new connection hears nothing, so then everything may differ. A
 * channel that comes back after a lost connection tells its listeners `resync`.
 *
 * Messages published here go to the server and come back like everybody else's, which is what gives all
 * listeners of a topic, in all processes, the same order.
 */
export class TopicBus implements EventBus {
  readonly #transport: BusTransport;
  readonly #prefix: string;
  readonly #log: Logger;
  readonly #errors: ErrorLog;
  readonly #answerMs: number;
  readonly #publisher: BusPublisher;
  readonly #lifecycle: ServiceLifecycle;
  readonly #channels = new Map<string, Channel>();
  readonly #heard = new Set<string>();
  readonly #changed = new Set<string>();
  /** Fires when the present connection is gone; null without one. */
  #connection: AbortController | null = null;
  #isSettling = false;

  /** @param options.answerMs nobody waits longer for the server */
  constructor(options: {
    transport: BusTransport;
    prefix: string;
    log: Logger;
    errors: ErrorLog;
    answerMs: number;
  }) {
    const { transport, prefix, log, errors, answerMs } = options;
    this.#transport = transport;
    this.#prefix = prefix;
    this.#log = log;
    this.#errors = errors;
    this.#answerMs = answerMs;
    this.#publisher = new BusPublisher({
      send: (messages) => transport.send(messages),
      errors,
      answerMs,
    });
    this.#lifecycle = new ServiceLifecycle({
      up: async (signal) => {
        this.#publisher.start();
        await transport.connect(
          {
            up: () => this.#connected(),
            down: () => this.#disconnected(),
            message: (channel, payload) => this.#received(channel, payload),
          },
          signal,
        );
      },
      down: () => this.#close(),
    });
  }

  start(): Promise<void> {
    return this.#lifecycle.start();
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  publish(topic: string, message: BusMessage): Promise<void> {
    return this.#publisher.publish(busChannel(this.#prefix, topic), encodeBusMessage(message));
  }

  async subscribe(topic: string, listener: (event: BusEvent) => void): Promise<Subscription> {
    if (!this.#lifecycle.isRunning) throw queueUnavailable('the event bus is not started');
    const name = busChannel(this.#prefix, topic);
    const channel = this.#channels.get(name) ?? this.#addChannel(name);
    const own: Listener = { hear: listener, isOpen: true };
    channel.listeners.add(own);
    const close = (): void => {
      own.isOpen = false;
      channel.listeners.delete(own);
      if (channel.listeners.size === 0 && this.#channels.get(name) === channel) {
        this.#channels.delete(name);
        this.#change(name);
      }
    };
    if (!channel.isLive) {
      const live = new Promise<void>((resolve, reject) => {
        channel.waiting.push({ resolve, reject });
      });
      try {
        await withDeadline(live, this.#answerMs, () => queueUnavailable('no answer'));
      } catch (error) {
        close();
        throw queueUnavailable(`topic ${topic} can not be listened to`, error);
      }
    }
    return { close: async () => close() };
  }

  #addChannel(name: string): Channel {
    const channel: Channel = { listeners: new Set(), isLive: false, hasGap: false, waiting: [] };
    this.#channels.set(name, channel);
    this.#change(name);
    return channel;
  }

  #connected(): void {
    this.#connection?.abort();
    this.#connection = new AbortController();
    this.#heard.clear();
    for (const name of this.#channels.keys()) this.#changed.add(name);
    void this.#settle();
  }

  #disconnected(): void {
    this.#connection?.abort();
    this.#connection = null;
    for (const channel of this.#channels.values()) {
      channel.hasGap ||= channel.isLive;
      channel.isLive = false;
    }
  }

  #change(name: string): void {
    this.#changed.add(name);
    void this.#settle();
  }

  async #settle(): Promise<void> {
    if (this.#isSettling) return;
    this.#isSettling = true;
    // All subscriptions of this turn travel together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#connection !== null && this.#changed.size > 0) {
      await this.#settleSome(this.#connection.signal);
    }
    this.#isSettling = false;
  }

  async #settleSome(gone: AbortSignal): Promise<void> {
    const names = [...this.#changed].slice(0, MAX_CHANGES);
    for (const name of names) this.#changed.delete(name);
    const wanted = names.filter((name) => this.#channels.has(name));
    const listen = wanted.filter((name) => !this.#heard.has(name));
    const unlisten = names.filter((name) => this.#heard.has(name) && !this.#channels.has(name));
    try {
      if (listen.length + unlisten.length > 0) await this.#transport.change(listen, unlisten);
    } catch (error) {
      this.#errors.warn({ err: error }, 'event bus could not change what it listens to');
      for (const name of names) this.#changed.add(name);
      await pause(RETRY_MS, gone);
      return;
    }
    // A new connection hears nothing of this, and has marked everything as changed.
    if (gone.aborted) return;
    for (const name of listen) this.#heard.add(name);
    for (const name of unlisten) this.#heard.delete(name);
    for (const name of wanted) {
      const channel = this.#channels.get(name);
      if (channel !== undefined) this.#becameLive(channel);
    }
  }

  #becameLive(channel: Channel): void {
    channel.isLive = true;
    if (channel.hasGap) {
      channel.hasGap = false;
      this.#tell(channel, { kind: 'resync' });
    }
    for (const { resolve } of channel.waiting.splice(0)) resolve();
  }

  #received(name: string, payload: string): void {
    const channel = this.#channels.get(name);
    // Still on its way when the last listener left.
    if (channel === undefined) return;
    const event = decodeBusMessage(payload);
    if (event === null) {
      this.#log.warn({ channel: name, bytes: payload.length }, 'message of unknown form dropped');
      return;
    }
    this.#tell(channel, event);
  }

  #tell(channel: Channel, event: BusEvent): void {
    for (const listener of [...channel.listeners]) {
      if (!listener.isOpen) continue;
      try {
        listener.hear(event);
      } catch (error) {
        this.#log.error({ err: error, kind: event.kind }, 'listener of the event bus threw');
      }
    }
  }

  async #close(): Promise<void> {
    await this.#publisher.stop();
    await this.#transport.disconnect();
    this.#disconnected();
    for (const channel of this.#channels.values()) {
      const stopped = queueUnavailable('the event bus is stopping');
      for (const { reject } of channel.waiting.splice(0)) reject(stopped);
      for (const listener of channel.listeners) listener.isOpen = false;
    }
    this.#channels.clear();
    this.#changed.clear();
    this.#heard.clear();
  }
}
