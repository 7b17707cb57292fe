import type { Logger, PrincipalId, Session } from '@longshore/core';
import type { JsonRpcResponse, ServerMessage } from '@longshore/protocol';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { SSEServerTransport } from '@modelcontextprotocol/server-legacy/sse';
import type { Request, Response } from 'express';
import type { StopReason } from '../../edge/delivery.ts';
import { MAX_BUFFERED_BYTES } from '../../edge/event-stream.ts';
import type { KeepAlive, KeptAlive } from '../../edge/keep-alive.ts';
import { whenClosed } from '../../edge/when-closed.ts';
import type { ApiContext } from '../../methods/api-context.ts';
import { SessionStream } from '../../watch/session-stream.ts';
import { legacyAbilities } from '../legacy-abilities.ts';
import type { SseExchange } from './sse-exchange.ts';

/** Where clients post; the id of the connection is added. */
export const MESSAGES_PATH = '/messages';

/** 60 s: whoever opens a stream and says nothing on it needs none. */
const INITIALIZE_WITHIN_MS = 60_000;

export interface SseConnectionOptions {
  readonly context: ApiContext;
  readonly keepAlive: KeepAlive;
  /** Whose messages are taken; null: those of whoever knows the id. */
  readonly owner: PrincipalId | null;
  readonly log: Logger;
  /** Called once. */
  readonly onClose: () => void;
}

/**
 * One client over one stream: the answers to what it posts, and what its session is told. The SDK's transport writes
 * the wire; nothing of it outlives the connection, and neither does the session.
 */
export class SseConnection implements KeptAlive {
  readonly owner: PrincipalId | null;
  /** Its `initialize` is being answered. */
  isInitializing = false;
  readonly #options: SseConnectionOptions;
  readonly #response: Response;
  readonly #transport: SSEServerTransport;
  readonly #exchanges = new Map<SseExchange, Promise<void>>();
  readonly #initializeTimer: NodeJS.Timeout;
  #session: Session | null = null;
  #notifications: SessionStream | null = null;
  #letGo: (() => void) | null = null;
  #silent = false;
  #closing: Promise<void> | null = null;

  constructor(response: Response, options: SseConnectionOptions) {
    this.owner = options.owner;
    this.#options = options;
    this.#response = response;
    this.#transport = new SSEServerTransport(MESSAGES_PATH, response);
    this.#initializeTimer = setTimeout(
      () => void this.close('disconnected'),
      INITIALIZE_WITHIN_MS,
    ).unref();
  }

  /** 122 random bits: what a client without credentials shows with each message. */
  get id(): string {
    return this.#transport.sessionId;
  }

  /** Null: it is yet to initialize. */
  get session(): Session | null {
    return this.#session;
  }

  get exchanges(): readonly Promise<void>[] {
    return [...this.#exchanges.values()];
  }

  async start(): Promise<void> {
    // For proxies that hold back what they are sent; the transport adds its own headers.
    this.#response.setHeader('X-Accel-Buffering', 'no');
    await this.#transport.start();
    this.#options.keepAlive.add(this);
    whenClosed(this.#response, () => void this.close('disconnected'));
  }

  /** Takes the message of a POST, and answers that: 202. @returns whether it was one */
  async receive(request: Request, response: Response): Promise<boolean> {
    let isTaken = false;
    // Called before `handlePostMessage` waits for anything, for the body is here: no other POST comes between.
    this.#transport.onmessage = () => {
      isTaken = true;
    };
    await this.#transport.handlePostMessage(request, response, request.body);
    return isTaken;
  }

  /** Keeps the exchange where `close` finds it, until it has its answer. */
  hold(exchange: SseExchange, done: Promise<void>): void {
    this.#exchanges.set(exchange, done);
    void done.finally(() => this.#exchanges.delete(exchange));
    if (this.#closing !== null) exchange.stop('disconnected');
  }

  send(message: ServerMessage | JsonRpcResponse): void {
    if (this.#closing !== null || this.#response.writableEnded || this.#response.destroyed) return;
    if (this.#response.writableLength > MAX_BUFFERED_BYTES) {
      this.#response.destroy();
      return;
    }
    this.#silent = false;
    // It writes at once, and can not but for a connection that has closed.
    this.#transport.send(message as JSONRPCMessage).catch(() => {});
  }

  beat(): void {
    if (this.#silent && !this.#response.writableEnded) this.#response.write(': keep-alive\n\n');
    this.#silent = true;
  }

  /** The client has initialized: its messages are of this session from here on. */
  enter(session: Session): void {
    clearTimeout(this.#initializeTimer);
    this.#session = session;
    const { sessions } = this.#options.context;
    const forgetEnd = sessions.onEnd(session.id, () => void this.close('disconnected'));
    const leave = sessions.hold(session.id);
    this.#letGo = () => {
      forgetEnd();
      leave();
    };
  }

  /** Begins to tell what belongs to no request: questions, logs and progress of jobs, and broadcasts. */
  async tell(): Promise<void> {
    const { context, log } = this.#options;
    const session = this.#session;
    if (session === null || this.#closing !== null) return;
    const notifications = new SessionStream(context, {
      session,
      abilities: legacyAbilities(session),
      broadcasts: context.broadcasts.forSession(session, { comesBack: false }),
      resumed: null,
      log,
      send: (message) => this.send(message),
      supersede: () => void this.close('superseded'),
    });
    this.#notifications = notifications;
    try {
      await notifications.prepare();
      await notifications.open();
    } catch (error) {
      // What it would have missed can not be made up for: the client connects again.
      log.warn({ err: error }, 'session could not be listened to, connection closed');
      void this.close('disconnected');
    }
  }

  /** Ends the connection with all that it holds; resolves when that is given back. */
  close(reason: StopReason): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #close(reason: StopReason): Promise<void> {
    const { context, keepAlive, log, onClose } = this.#options;
    clearTimeout(this.#initializeTimer);
    keepAlive.delete(this);
    for (const exchange of this.#exchanges.keys()) exchange.stop(reason);
    onClose();
    await this.#transport.close();
    await Promise.allSettled([...this.exchanges, this.#notifications?.close()]);
    this.#letGo?.();
    if (this.#session === null) return;
    try {
      await context.sessions.end(this.#session);
    } catch (error) {
      log.warn({ err: error }, 'session was not ended, and will be once it is idle');
    }
  }
}
