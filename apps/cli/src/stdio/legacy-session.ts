import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@longshore/core';
import { readMessages } from '../wire/event-messages.ts';
import type { CarriedMessage } from '../wire/message-kinds.ts';
import type { EngineConnection } from './engine-connection.ts';

export interface LegacySessionOptions {
  readonly connection: EngineConnection;
  readonly log: Logger;
  /** Milliseconds before a stream is opened again. */
  readonly resumePauseMs: number;
  /** Passes on a message of the session's own stream. */
  readonly deliver: (message: unknown) => Promise<void>;
}

/** For the answer to a DELETE, when we are about to go. */
const END_MS = 2_000;

/**
 * A legacy client's session at the engine. It lies in the database, so it outlives the engine; its own stream,
 * which carries what belongs to no request, is opened once the client is initialized, and again for ever.
 *
 * @see 2025-11-25 basic/transports, "Session Management", "Resumability and Redelivery"
 */
export class LegacySession {
  /** Null: the engine opened none. */
  readonly #id: string | null;
  readonly #options: LegacySessionOptions;
  readonly #stopping = new AbortController();
  #version: string | null = null;
  #isListening = false;

  constructor(id: string | null, options: LegacySessionOptions) {
    this.#id = id;
    this.#options = options;
  }

  /** @param answer to `initialize` */
  learnVersion(answer: unknown): void {
    if (typeof answer !== 'object' || answer === null || !('result' in answer)) return;
    const { result } = answer;
    if (typeof result !== 'object' || result === null || !('protocolVersion' in result)) return;
    if (typeof result.protocolVersion === 'string') this.#version = result.protocolVersion;
  }

  headers(): Record<string, string> {
    return {
      ...(this.#id === null ? {} : { 'Mcp-Session-Id': this.#id }),
      ...(this.#version === null ? {} : { 'MCP-Protocol-Version': this.#version }),
    };
  }

  /** Sends what has no answer. */
  async note({ body, method }: CarriedMessage, signal: AbortSignal): Promise<void> {
    const response = await this.#options.connection.send({
      method: 'POST',
      headers: {
        ...this.headers(),
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
      repeatable: true,
      signal,
    });
    const text = await response.text().catch(() => '');
    if (!response.ok) {
      this.#options.log.warn({ method, status: response.status, answer: text }, 'not taken');
    }
    if (method === 'notifications/initialized' && !this.#isListening) {
      this.#isListening = true;
      void this.#listen();
    }
  }

  /**
   * Goes on with the stream of a request.
   * @returns null when there is nothing to go on with
   */
  async resume(lastEventId: string, signal: AbortSignal): Promise<Response | null> {
    const response = await this.#get({ 'Last-Event-ID': lastEventId }, signal);
    if (response.status !== 405) return response;
    await response.body?.cancel();
    return null;
  }

  /** Tells the engine that nobody comes back. Tasks stay. */
  async end(): Promise<void> {
    this.stop();
    if (this.#id === null) return;
    const signal = AbortSignal.timeout(END_MS);
    try {
      await this.#options.connection.send({
        method: 'DELETE',
        headers: this.headers(),
        repeatable: true,
        signal,
      });
    } catch (err) {
      this.#options.log.debug({ err }, 'the session was not ended, and will be for its age');
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stopping;
    const { log, deliver, resumePauseMs } = this.#options;
    let lastEventId: string | null = null;
    while (!signal.aborted) {
      try {
        const resumed: Record<string, string> =
          lastEventId === null ? {} : { 'Last-Event-ID': lastEventId };
        const response = await this.#get(resumed, signal);
        if (!response.ok) {
          log.warn({ status: response.status }, 'the session has no stream of its own');
          await response.body?.cancel();
          return;
        }
        for await (const { message, id } of readMessages(response)) {
          if (message !== null) await deliver(message);
          if (id !== null) lastEventId = id;
        }
      } catch (err) {
        if (!signal.aborted) log.warn({ err }, "the session's stream broke");
      }
      await sleep(resumePauseMs, undefined, { signal }).catch(() => {});
    }
  }

  #get(headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    return this.#options.connection.send({
      method: 'GET',
      headers: { ...this.headers(), ...headers, Accept: 'text/event-stream' },
      repeatable: true,
      signal,
    });
  }
}
