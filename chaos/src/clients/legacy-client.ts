import type { WireMessage } from '@longshore/testing/mcp';
import * as z from 'zod';
import { wordFor } from '../plan/expected.ts';
import { type Answer, type Surroundings, type Tried, untilAnswered } from './client.ts';
import { ConnectionLost, exchange } from './wire.ts';

const VERSION = '2025-11-25';

/** A stream that ended before its answer. */
interface BrokenStream {
  /** Of the request that had opened it. */
  readonly id: number;
  readonly lastEventId: string;
}

const Question = z.object({ message: z.string() });

/** One session of 2025-11-25, which goes on whichever API answers. */
export class LegacyClient {
  readonly #around: Surroundings;
  readonly #key: string;
  #sessionId: string | null = null;
  #lastId = 0;
  #turn = 0;

  constructor(around: Surroundings, key: string) {
    this.#around = around;
    this.#key = key;
  }

  async open(): Promise<void> {
    const answer = await untilAnswered(this.#around, 0, async (url) => {
      const id = this.#nextId();
      const body = {
        jsonrpc: '2.0',
        id,
        method: 'initialize',
        params: {
          protocolVersion: VERSION,
          capabilities: { elicitation: { form: {} } },
          clientInfo: { name: 'chaos', version: '1' },
        },
      };
      const response = await this.#exchange(url, body, id);
      this.#sessionId = response.sessionId;
      return response.answer ?? {};
    });
    if (answer.kind === 'error') throw new Error(`initialize: ${answer.error.message}`);
    await this.#deliver({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Sends a request anew until it is answered. */
  request(method: string, params: object): Promise<Answer> {
    return untilAnswered(this.#around, this.#next(), (url) => this.#call(url, method, params));
  }

  /**
   * Sends a request whose stream, when it breaks, goes on at another API by its last event id. Before the
   * first event, after an answer to try again, or when nobody knows the stream, the request is sent anew.
   */
  requestResuming(method: string, params: object): Promise<Answer> {
    let broken: BrokenStream | null = null;
    return untilAnswered(this.#around, this.#next(), async (url) => {
      const id = broken?.id ?? this.#nextId();
      const onEventId = (lastEventId: string): void => {
        broken = { id, lastEventId };
      };
      try {
        const answer =
          broken === null
            ? await this.#call(url, method, params, { id, onEventId })
            : await this.#resume(url, broken, onEventId);
        broken = null;
        return answer;
      } catch (error) {
        if (error instanceof ConnectionLost && error.status !== null) broken = null;
        throw error;
      }
    });
  }

  async #resume(
    url: string,
    { id, lastEventId }: BrokenStream,
    onEventId: (id: string) => void,
  ): Promise<Tried> {
    this.#around.counts.resumed += 1;
    const { answer } = await exchange({
      url,
      method: 'GET',
      headers: { ...this.#headers(), accept: 'text/event-stream', 'last-event-id': lastEventId },
      body: null,
      id,
      signal: this.#around.signal,
      onMessage: (message) => this.#answer(message),
      onEventId,
    });
    return answer ?? {};
  }

  async #call(
    url: string,
    method: string,
    params: object,
    options: { id?: number; onEventId?: (id: string) => void } = {},
  ): Promise<Tried> {
    const { id = this.#nextId(), onEventId } = options;
    const { answer } = await this.#exchange(
      url,
      { jsonrpc: '2.0', id, method, params },
      id,
      onEventId,
    );
    return answer ?? {};
  }

  #exchange(url: string, body: object, id: number | null, onEventId?: (id: string) => void) {
    return exchange({
      url,
      method: 'POST',
      headers: this.#headers(),
      body,
      id,
      signal: this.#around.signal,
      onMessage: (message) => this.#answer(message),
      ...(onEventId === undefined ? {} : { onEventId }),
    });
  }

  /** Answers what the server asks, in the background. */
  #answer({ id, method, params }: WireMessage): void {
    if (method !== 'elicitation/create' || id === undefined) return;
    const value = Number(/\d+/.exec(Question.parse(params).message)?.[0]);
    const result = { action: 'accept', content: { word: wordFor(value) } };
    this.#deliver({ jsonrpc: '2.0', id, result }).catch(() => {
      // The run is over.
    });
  }

  /** Sends what has no answer of its own, until HTTP says that it arrived. */
  async #deliver(body: object): Promise<void> {
    await untilAnswered(this.#around, this.#next(), async (url) => {
      const { status, answer } = await this.#exchange(url, body, null);
      if (status >= 500) throw new ConnectionLost(`HTTP ${status}`);
      return answer ?? {};
    });
  }

  #headers(): Record<string, string> {
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${this.#key}`,
      ...(this.#sessionId === null
        ? {}
        : { 'mcp-session-id': this.#sessionId, 'mcp-protocol-version': VERSION }),
    };
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #next(): number {
    this.#turn += 1;
    return this.#turn;
  }
}
