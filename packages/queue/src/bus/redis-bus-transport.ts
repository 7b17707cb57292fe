import type { Redis } from 'ioredis';
import type { ErrorLog } from '../connections/error-log.ts';
import { queueUnavailable } from '../connections/queue-unavailable.ts';
import { endRedis, redisConnection, untilRedisReady } from '../connections/redis-connection.ts';
import type { TimeLimits } from '../connections/time-limits.ts';
import type { BusTransport, BusTransportEvents, Outgoing } from './bus-transport.ts';

interface Connections {
  readonly subscriber: Redis;
  readonly publisher: Redis;
  readonly ping: NodeJS.Timeout;
}

/** Redis PUBLISH and SUBSCRIBE, on a connection each. */
export class RedisBusTransport implements BusTransport {
  readonly #url: string;
  readonly #prefix: string;
  readonly #errors: ErrorLog;
  readonly #limits: TimeLimits;
  #connections: Connections | null = null;

  constructor(options: { url: string; prefix: string; errors: ErrorLog; limits: TimeLimits }) {
    this.#url = options.url;
    this.#prefix = options.prefix;
    this.#errors = options.errors;
    this.#limits = options.limits;
  }

  async connect(events: BusTransportEvents, signal: AbortSignal): Promise<void> {
    const subscriber = this.#open('subscriber');
    const publisher = this.#open('publisher');
    const { pingMs, readyMs } = this.#limits;
    // A listening connection is silent when nothing happens and when it is dead. When no answer comes its
    // socket time-out drops it.
    const ping = setInterval(() => void subscriber.ping().catch(() => {}), pingMs);
    this.#connections = { subscriber, publisher, ping };
    subscriber.on('ready', events.up);
    subscriber.on('close', events.down);
    subscriber.on('message', events.message);
    await Promise.all([
      untilRedisReady(subscriber, readyMs, signal),
      untilRedisReady(publisher, readyMs, signal),
    ]);
  }

  async disconnect(): Promise<void> {
    if (this.#connections === null) return;
    const { subscriber, publisher, ping } = this.#connections;
    this.#connections = null;
    clearInterval(ping);
    subscriber.removeAllListeners('ready');
    subscriber.removeAllListeners('message');
    endRedis(subscriber);
    endRedis(publisher);
  }

  async change(listen: readonly string[], unlisten: readonly string[]): Promise<void> {
    const { subscriber } = this.#connected();
    await Promise.all([
      listen.length === 0 ? undefined : subscriber.subscribe(...listen),
      unlisten.length === 0 ? undefined : subscriber.unsubscribe(...unlisten),
    ]);
  }

  async send(messages: readonly Outgoing[]): Promise<void> {
    const pipeline = this.#connected().publisher.pipeline();
    for (const { channel, payload } of messages) pipeline.publish(channel, payload);
    const replies = await pipeline.exec();
    for (const [error] of replies ?? []) if (error !== null) throw error;
  }

  #connected(): Connections {
    if (this.#connections === null) throw queueUnavailable('the event bus is not started');
    return this.#connections;
  }

  #open(purpose: string): Redis {
    return redisConnection({
      url: this.#url,
      temper: 'fail-fast',
      connectionName: `${this.#prefix}-${purpose}`,
      answerMs: this.#limits.answerMs,
      errors: this.#errors,
    });
  }
}
