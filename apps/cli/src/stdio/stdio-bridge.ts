import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, LongshoreError } from '@longshore/core';
import { errorToWire, readableId } from '@longshore/protocol';
import { type CarriedId, carriedId, isStringOrInteger, textAt } from '../wire/carried-id.ts';
import { readMessages } from '../wire/event-messages.ts';
import {
  asAnswerTo,
  type CarriedMessage,
  isAnswerTo,
  isRepeatable,
  members,
  modernHeaders,
  readMessage,
} from '../wire/message-kinds.ts';
import type { Channel } from './channel.ts';
import type { EngineConnection, EngineRequest } from './engine-connection.ts';
import { LegacySession } from './legacy-session.ts';
import type { MessageWriter } from './message-writer.ts';

/*
 * Carries MCP between a host's pipes and the engine's HTTP endpoint, in both eras. What a message means is the
 * engine's business; what differs between the two transports is ours:
 *
 * - Over HTTP the modern era repeats parts of a message in headers, and withdraws a request by closing its
 *   connection: here from `notifications/cancelled`.
 * - The legacy era has a session, named in a header, and a stream of the session: `legacy-session.ts`.
 * - A connection that breaks before the answer is not the end of a request. Legacy streams are resumed with
 *   Last-Event-ID; of the modern era whatever only reads is asked again.
 *
 * Nothing is kept here that would be missed: tasks are the engine's, so a host may kill us at any time.
 */

interface InFlight {
  readonly message: CarriedMessage;
  readonly id: CarriedId;
  readonly abort: AbortController;
  /** Resolves when the request has arrived, or has ended. */
  readonly arrived: Promise<void>;
  readonly done: Promise<void>;
}

export interface BridgeOptions {
  readonly connection: EngineConnection;
  readonly writer: MessageWriter;
  /** Null: the host is told of nothing that it does not ask for. */
  readonly channel?: Channel | null;
  readonly log: Logger;
  /** How long a resumption waits for, in milliseconds; 500 by default. */
  readonly resumePauseMs?: number;
}

const ACCEPT = 'application/json, text/event-stream';
const ENDLESS = 'subscriptions/listen';
const RESUME_PAUSE_MS = 500;

export class StdioBridge {
  readonly #connection: EngineConnection;
  readonly #writer: MessageWriter;
  readonly #channel: Channel | null;
  readonly #log: Logger;
  readonly #resumePauseMs: number;
  readonly #inFlight = new Map<string, InFlight>();
  readonly #stopping = new AbortController();
  /** Of a legacy client: settled when the server has answered its `initialize`. */
  #session: Promise<LegacySession | null> | null = null;

  constructor(options: BridgeOptions) {
    this.#connection = options.connection;
    this.#writer = options.writer;
    this.#channel = options.channel ?? null;
    this.#log = options.log;
    this.#resumePauseMs = options.resumePauseMs ?? RESUME_PAUSE_MS;
  }

  /** Takes one line of the host. Never rejects: what is wrong with it is answered. */
  async take(line: string): Promise<void> {
    if (line.trim() === '') return;
    let body: unknown;
    try {
      body = JSON.parse(line);
    } catch {
      await this.refuse(null, new LongshoreError('PARSE_ERROR', 'The line is not valid JSON'));
      return;
    }
    const message = readMessage(body, line);
    if (!message.isRequest) {
      const named = this.#named(message, line);
      if (message.method !== 'notifications/cancelled' || !withdraw(named)) {
        await this.#note(message, named);
      }
      return;
    }
    const { id } = message;
    if (id === null || !isStringOrInteger(id)) {
      const reason = 'The id of a request must be a string or an integer';
      await this.refuse(id, new LongshoreError('INVALID_REQUEST', reason));
      return;
    }
    const key = id.text;
    if (this.#inFlight.has(key)) {
      const reason = 'The id of this request belongs to one that has no answer yet';
      await this.refuse(id, new LongshoreError('INVALID_REQUEST', reason));
      return;
    }
    const abort = new AbortController();
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const done = this.#answer(message, id, abort.signal, arrive).finally(() => {
      arrive();
      this.#inFlight.delete(key);
    });
    this.#inFlight.set(key, { message, id, abort, arrived, done });
  }

  /** @param id null: of no request that could be read */
  async refuse(id: CarriedId | null, error: unknown): Promise<void> {
    const { code, message, data } = errorToWire(error);
    const named = id === null ? {} : { id: id.sent };
    await this.#writer.write({ jsonrpc: '2.0', ...named, error: { code, message, data } }, id);
  }

  /**
   * Lets requests that will have an answer get it, then ends the session.
   *
   * @param graceMs milliseconds they have for it
   */
  async end(graceMs: number): Promise<void> {
    const waiting = [...this.#inFlight.values()].filter(({ message, abort }) => {
      if (message.method === ENDLESS) abort.abort();
      return message.method !== ENDLESS;
    });
    const over = new AbortController();
    await Promise.race([
      Promise.allSettled(waiting.map(({ done }) => done)),
      sleep(graceMs, undefined, { signal: over.signal }).catch(() => {}),
    ]);
    over.abort();
    const session = await this.#opened();
    this.stop();
    await session?.end();
  }

  /** Lets go of everything at once. */
  stop(): void {
    this.#stopping.abort();
    this.#channel?.stop();
    for (const { abort } of this.#inFlight.values()) abort.abort();
    void this.#opened().then((session) => session?.stop());
  }

  /** The request under way that a notification names; null: none. */
  #named({ params }: CarriedMessage, line: string): InFlight | null {
    const id = carriedId(params['requestId'], () => textAt(line, 'params', 'requestId'));
    return id === null ? null : (this.#inFlight.get(id.text) ?? null);
  }

  /** Notifications and responses, which are for the session. The modern era has none that go to the engine. */
  async #note(message: CarriedMessage, named: InFlight | null): Promise<void> {
    const { method, body } = message;
    try {
      if (method === null && readableId(body) === null) {
        throw new LongshoreError('INVALID_REQUEST', 'The line is no JSON-RPC 2.0 message');
      }
      // A withdrawal that overtakes its request would withdraw nothing.
      await named?.arrived;
      const session = await this.#opened();
      const known = named === null ? message : naming(named.id, message);
      await session?.note(known, this.#stopping.signal);
      if (method === 'notifications/initialized') this.#channel?.start();
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const id = carriedId(readableId(body), () => null);
      if (method === null) await this.refuse(id, error);
      else this.#log.warn({ err: error, method }, 'a notification was lost');
    }
  }

  async #answer(
    message: CarriedMessage,
    id: CarriedId,
    signal: AbortSignal,
    arrive: () => void,
  ): Promise<void> {
    try {
      if (message.era === 'modern') await this.#modern(message, id, signal, arrive);
      else if (message.method === 'initialize') await this.#initialize(message, id, signal);
      else await this.#legacy(message, id, signal, arrive);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof LongshoreError)) this.#log.error({ err: error }, 'request failed');
      await this.refuse(id, error);
    }
  }

  async #modern(
    message: CarriedMessage,
    id: CarriedId,
    signal: AbortSignal,
    arrive: () => void,
  ): Promise<void> {
    for (;;) {
      const response = await this.#post(message, modernHeaders(message), signal);
      arrive();
      const isDiscovery = message.method === 'server/discover';
      if (
        await this.#deliver(
          response,
          id,
          isDiscovery ? (a) => this.#channel?.declareIn(a) : undefined,
        )
      ) {
        if (isDiscovery) this.#channel?.start();
        return;
      }
      signal.throwIfAborted();
      if (!isRepeatable(message)) throw brokenOff();
      await sleep(this.#resumePauseMs, undefined, { signal });
    }
  }

  async #initialize(message: CarriedMessage, id: CarriedId, signal: AbortSignal): Promise<void> {
    const before = this.#session;
    let settle = (_session: LegacySession | null): void => {};
    this.#session = new Promise((resolve) => {
      settle = resolve;
    });
    // From here on what the host sends waits for the new session: it need not wait for our answer.
    (await before)?.stop();
    try {
      const response = await this.#post(message, {}, signal);
      const session = new LegacySession(response.headers.get('mcp-session-id'), {
        connection: this.#connection,
        log: this.#log,
        resumePauseMs: this.#resumePauseMs,
        deliver: (incoming) => this.#writer.write(incoming, null),
      });
      const isAnswered = await this.#deliver(response, id, (answer) => {
        session.learnVersion(answer);
        this.#channel?.declareIn(answer);
        settle(session);
      });
      if (!isAnswered) throw brokenOff();
    } finally {
      settle(null);
    }
  }

  async #legacy(
    message: CarriedMessage,
    id: CarriedId,
    signal: AbortSignal,
    arrive: () => void,
  ): Promise<void> {
    const session = await this.#opened();
    if (session === null && message.method === 'ping') {
      await this.#writer.write({ jsonrpc: '2.0', id: id.sent, result: {} }, id);
      return;
    }
    let lastEventId: string | null = null;
    const place = (): string | null => lastEventId;
    let response = await this.#post(message, session?.headers() ?? {}, signal);
    arrive();
    // A request that was withdrawn, or that needs none, has an answer without a body.
    if (response.status === 202) return;
    for (;;) {
      const isAnswered = await this.#deliver(response, id, undefined, (eventId) => {
        lastEventId = eventId;
      });
      if (isAnswered) return;
      signal.throwIfAborted();
      // Read anew: the stream has told it meanwhile.
      const from = place();
      if ((session === null || from === null) && !isRepeatable(message)) throw brokenOff();
      await sleep(this.#resumePauseMs, undefined, { signal });
      if (session === null || from === null) {
        response = await this.#post(message, session?.headers() ?? {}, signal);
        continue;
      }
      const resumed = await session.resume(from, signal);
      // It was withdrawn, as another stream has learned.
      if (resumed === null) return;
      response = resumed;
    }
  }

  /** Resolves at once when there is no session, else when it is open. */
  #opened(): Promise<LegacySession | null> {
    return this.#session ?? Promise.resolve(null);
  }

  #post(
    message: CarriedMessage,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    const request: EngineRequest = {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', Accept: ACCEPT },
      body: JSON.stringify(message.body),
      repeatable: isRepeatable(message),
      signal,
    };
    return this.#connection.send(request);
  }

  /**
   * Passes on what an answer carries.
   *
   * @param onAnswer called before the response to the request goes out
   * @param onEventId called after a message with an id went out
   * @returns whether the response to the request was among it
   */
  async #deliver(
    response: Response,
    id: CarriedId,
    onAnswer?: (answer: unknown) => void,
    onEventId?: (eventId: string) => void,
  ): Promise<boolean> {
    const pass = async (message: unknown): Promise<boolean> => {
      const isAnswer = isAnswerTo(id.sent, message);
      if (isAnswer) onAnswer?.(message);
      await this.#writer.write(message, id);
      return isAnswer;
    };
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
      const text = await response.text().catch(() => '');
      return text === '' ? false : pass(asAnswerTo(id.sent, JSON.parse(text)));
    }
    for await (const { message, id: eventId } of readMessages(response)) {
      if (message !== null && (await pass(message))) return true;
      if (eventId !== null) onEventId?.(eventId);
    }
    return false;
  }
}

/** A notification, with the request it is about named as the engine knows it. */
function naming({ sent }: CarriedId, message: CarriedMessage): CarriedMessage {
  const params = { ...message.params, requestId: sent };
  return { ...message, body: { ...members(message.body), params } };
}

/** @returns whether that was it: a request of the modern era ends with its connection */
function withdraw(named: InFlight | null): boolean {
  if (named?.message.era !== 'modern') return false;
  named.abort.abort();
  return true;
}

function brokenOff(): LongshoreError {
  return new LongshoreError(
    'ENGINE_LOST',
    'The engine broke off before the answer. What was asked for may have happened: look for it in the list of tasks before you ask again.',
  );
}
