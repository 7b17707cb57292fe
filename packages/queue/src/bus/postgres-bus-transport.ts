import pg from 'pg';
import { endsWithin, pause } from '../connections/deadline.ts';
import type { ErrorLog } from '../connections/error-log.ts';
import { endPool, postgresConfig } from '../connections/postgres-connection.ts';
import { queueUnavailable } from '../connections/queue-unavailable.ts';
import type { TimeLimits } from '../connections/time-limits.ts';
import type { BusTransport, BusTransportEvents, Outgoing } from './bus-transport.ts';

/** How long the listening connection is given to end; one that is just being made ends later by itself. */
const END_MS = 1_000;

/** Pause before the next attempt to connect: from 50 ms up to 2 s. */
const MAX_RETRY_MS = 2_000;

/** Notifications of many channels in one statement, in the order of the arrays. */
const NOTIFY = {
  name: 'longshore-notify',
  text: 'SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS m (channel, payload)',
};

/**
 * Postgres LISTEN and NOTIFY, on a connection each. All listeners of a database get the notifications of
 * committed transactions in one order, that of the commits.
 */
export class PostgresBusTransport implements BusTransport {
  readonly #databaseUrl: string;
  readonly #prefix: string;
  readonly #errors: ErrorLog;
  readonly #limits: TimeLimits;
  #publisher: pg.Pool | null = null;
  #subscriber: pg.Client | null = null;
  #stop: AbortController | null = null;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: {
    databaseUrl: string;
    prefix: string;
    errors: ErrorLog;
    limits: TimeLimits;
  }) {
    this.#databaseUrl = options.databaseUrl;
    this.#prefix = options.prefix;
    this.#errors = options.errors;
    this.#limits = options.limits;
  }

  async connect(events: BusTransportEvents, signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    this.#publisher = new pg.Pool({ ...this.#config('publisher'), max: 1, idleTimeoutMillis: 0 });
    this.#publisher.on('error', (error) => this.#failed(error));
    await new Promise<void>((resolve, reject) => {
      const up = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', refuse);
        resolve();
        events.up();
      };
      // Not AbortSignal.any with AbortSignal.timeout: on Node 20 it may be collected before it fires.
      const refuse = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', refuse);
        reject(queueUnavailable('Postgres does not answer'));
      };
      const timer = setTimeout(refuse, this.#limits.readyMs);
      signal.addEventListener('abort', refuse, { once: true });
      if (signal.aborted) refuse();
      this.#loop = this.#keepListening({ ...events, up }, stop.signal);
    });
  }

  async disconnect(): Promise<void> {
    this.#stop?.abort();
    const publisher = this.#publisher;
    this.#publisher = null;
    await Promise.all([
      endsWithin(this.#loop, END_MS),
      publisher === null ? undefined : endPool(publisher),
    ]);
  }

  async change(listen: readonly string[], unlisten: readonly string[]): Promise<void> {
    if (this.#subscriber === null) throw queueUnavailable('no connection to Postgres');
    const commands = [
      ...unlisten.map((channel) => `UNLISTEN ${pg.escapeIdentifier(channel)}`),
      ...listen.map((channel) => `LISTEN ${pg.escapeIdentifier(channel)}`),
    ];
    await this.#subscriber.query(commands.join(';'));
  }

  async send(messages: readonly Outgoing[]): Promise<void> {
    if (this.#publisher === null) throw queueUnavailable('the event bus is not started');
    const channels = messages.map(({ channel }) => channel);
    // Postgres drops what equals an earlier notification of the same transaction; numbers make them differ.
    const payloads = messages.map(({ payload }, index) => `${index} ${payload}`);
    await this.#publisher.query({ ...NOTIFY, values: [channels, payloads] });
  }

  async #keepListening(events: BusTransportEvents, stop: AbortSignal): Promise<void> {
    let attempt = 0;
    while (!stop.aborted) {
      const client = new pg.Client(this.#config('subscriber'));
      client.on('error', (error) => this.#failed(error));
      client.on('notification', ({ channel, payload = '' }) => {
        events.message(channel, payload.slice(payload.indexOf(' ') + 1));
      });
      try {
        await client.connect();
        attempt = 0;
        if (!stop.aborted) {
          this.#subscriber = client;
          events.up();
          await untilBroken(client, this.#limits.pingMs, stop);
        }
      } catch (error) {
        this.#failed(error);
      }
      if (this.#subscriber === client) {
        this.#subscriber = null;
        events.down();
      }
      client.removeAllListeners('notification');
      void client.end().catch(() => {});
      const retryMs = Math.min(MAX_RETRY_MS, 50 * 2 ** attempt);
      attempt += 1;
      if (!stop.aborted) await pause(retryMs * (0.5 + Math.random() / 2), stop);
    }
  }

  #config(purpose: string): pg.PoolConfig {
    const name = `${this.#prefix}-${purpose}`;
    return postgresConfig(this.#databaseUrl, name, this.#limits.answerMs);
  }

  #failed(error: unknown): void {
    this.#errors.warn({ err: error, connection: 'event bus' }, 'postgres connection failed');
  }
}

/**
 * Resolves when the connection ended or `stop` fires; rejects when it answers no longer, which it is asked
 * because a listening connection is silent when nothing happens and when it is dead.
 */
async function untilBroken(client: pg.Client, pingMs: number, stop: AbortSignal): Promise<void> {
  const ended = new AbortController();
  client.once('end', () => ended.abort());
  client.once('error', () => ended.abort());
  const over = AbortSignal.any([ended.signal, stop]);
  while (!over.aborted) {
    await pause(pingMs, over);
    if (!over.aborted) await client.query('SELECT 1');
  }
}
