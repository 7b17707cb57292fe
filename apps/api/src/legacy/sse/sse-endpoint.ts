import {
  type Access,
  LongshoreError,
  type PrincipalId,
  type Service,
  type Session,
} from '@longshore/core';
import {
  type InboundMessage,
  type JsonRpcRequest,
  parseInbound,
  SSE_VERSION,
} from '@longshore/protocol';
import type { Request, Response } from 'express';
import { accepted } from '../../edge/accepts.ts';
import { requiredScopes, requireScopes } from '../../edge/auth/required-scopes.ts';
import type { KeepAlive } from '../../edge/keep-alive.ts';
import { rateMessage } from '../../edge/limits/card-calls.ts';
import { settledWithin } from '../../edge/settled-within.ts';
import { whenClosed } from '../../edge/when-closed.ts';
import type { ApiContext } from '../../methods/api-context.ts';
import type { LegacyCall } from '../legacy-call.ts';
import type { LegacyServer } from '../legacy-server.ts';
import { takeMessage } from '../take-message.ts';
import { SseConnection } from './sse-connection.ts';
import { SseExchange } from './sse-exchange.ts';

export interface SseEndpointOptions {
  readonly context: ApiContext;
  /** Of the legacy leg, which outlives this one. */
  readonly server: LegacyServer;
  readonly keepAlive: KeepAlive;
  /** How long a stop waits for calls under way, whose clients can not come back for them, in milliseconds. */
  readonly drainMs: number;
}

/**
 * HTTP+SSE of 2024-11-05: GET opens a stream and names an address, each message is POSTed there, and every answer comes
 * on the stream. The process that has the stream has the client: elsewhere its messages are 404.
 *
 * Beneath are the methods, sessions and rows of the legacy leg; this is the wire.
 *
 * @see 2024-11-05 basic/transports, "HTTP with SSE" · docs/decisions/0028-http-sse-behind-a-switch.md
 */
export class SseEndpoint implements Service {
  readonly #context: ApiContext;
  readonly #server: LegacyServer;
  readonly #keepAlive: KeepAlive;
  readonly #drainMs: number;
  readonly #connections = new Map<string, SseConnection>();
  #stopping = false;

  constructor(options: SseEndpointOptions) {
    this.#context = options.context;
    this.#server = options.server;
    this.#keepAlive = options.keepAlive;
    this.#drainMs = options.drainMs;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Lets calls finish, for a while; then ends the streams, whose clients connect to another replica. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const connections = [...this.#connections.values()];
    await settledWithin(
      connections.flatMap(({ exchanges }) => exchanges),
      this.#drainMs,
    );
    await Promise.all(
      [...this.#connections.values()].map((connection) => connection.close('shutdown')),
    );
  }

  async open(request: Request, response: Response, access: Access): Promise<void> {
    if (!accepted(request).eventStream) {
      throw new LongshoreError(
        'NOT_ACCEPTABLE',
        'A GET opens an event stream: accept text/event-stream',
      );
    }
    if (this.#stopping) throw new LongshoreError('SHUTTING_DOWN', 'This server is stopping');
    const { requestsPerMinute, openStreams } = this.#context.limitsOf(access);
    const { principalId } = access.identity;
    this.#context.rates.take(principalId, requestsPerMinute);
    const owner = access.sessionIdentity?.principalId ?? null;
    // Whose session it will be is not known yet where sessions are principals of their own.
    whenClosed(response, this.#context.held.take(owner ?? principalId, openStreams));
    const connection = new SseConnection(response, {
      context: this.#context,
      keepAlive: this.#keepAlive,
      owner,
      log: response.locals.log,
      onClose: () => this.#connections.delete(connection.id),
    });
    this.#connections.set(connection.id, connection);
    await connection.start();
  }

  async post(request: Request, response: Response, access: Access): Promise<void> {
    const inbound = parseInbound(request.body);
    // Before anything is looked for, where it is known whose request it is.
    const owner = access.sessionIdentity?.principalId ?? null;
    if (owner !== null) this.#rate(owner, access, inbound, request);
    const connection = this.#find(request, owner);
    if (owner === null) {
      const { session } = connection;
      this.#rate(session?.principalId ?? access.identity.principalId, access, inbound, request);
    }
    const session = await this.#session(connection, access);
    if (inbound.kind === 'request') {
      await this.#answer(connection, session, request, response, access, inbound.message);
      return;
    }
    if (session !== null) await takeMessage(this.#context, session, access, inbound);
    await connection.receive(request, response);
  }

  /**
   * The connection a message is for. One of another principal is as unknown as one that never was, or of another process.
   * @throws {LongshoreError} SESSION_NOT_FOUND
   */
  #find(request: Request, owner: PrincipalId | null): SseConnection {
    const { sessionId } = request.query;
    const found = typeof sessionId === 'string' ? this.#connections.get(sessionId) : undefined;
    if (found !== undefined && found.owner === owner) return found;
    throw new LongshoreError(
      'SESSION_NOT_FOUND',
      'No stream of this sessionId is open at this server: open one with GET /sse',
    );
  }

  /** @throws {LongshoreError} RATE_LIMITED */
  #rate(
    principalId: PrincipalId,
    access: Access,
    { kind }: InboundMessage,
    { body: message, cost }: Request,
  ): void {
    // What is no request goes on with one made before, and makes less work.
    const how = kind === 'request' ? 'take' : 'count';
    rateMessage(this.#context, { principalId, access }, how, { message, cost });
  }

  /**
   * The connection's session as it is now: what comes of a message came through the credential of that message.
   * @throws {LongshoreError} SESSION_NOT_FOUND when it has ended
   */
  async #session({ session }: SseConnection, access: Access): Promise<Session | null> {
    if (session === null) return null;
    const { sessions } = this.#context;
    const { id, principalId } = session;
    const current = sessions.cached(id, principalId) ?? (await sessions.get(id, principalId));
    const { authBindingId } = access.sessionIdentity ?? current;
    return current.authBindingId === authBindingId ? current : { ...current, authBindingId };
  }

  async #answer(
    connection: SseConnection,
    session: Session | null,
    request: Request,
    response: Response,
    access: Access,
    message: JsonRpcRequest,
  ): Promise<void> {
    if (this.#stopping) throw new LongshoreError('SHUTTING_DOWN', 'This server is stopping');
    const isFirst = message.method === 'initialize';
    if (isFirst && (session !== null || connection.isInitializing)) {
      throw new LongshoreError('INVALID_REQUEST', 'This connection is initialized already');
    }
    requireScopes(access, requiredScopes(message.method, message.params ?? {}));
    const { log } = response.locals;
    if (session !== null) {
      log.bind({ sessionId: session.id, principal: session.principalId });
      log.identify(session);
    }
    const { openStreams } = this.#context.limitsOf(access);
    const holder = session?.principalId ?? access.identity.principalId;
    const giveBack = this.#context.held.take(holder, openStreams);
    if (!(await connection.receive(request, response))) {
      giveBack();
      return;
    }
    connection.isInitializing ||= isFirst;
    const exchange = new SseExchange({
      requestId: message.id,
      log,
      send: (told) => connection.send(told),
    });
    const call: LegacyCall = {
      session,
      access,
      delivery: exchange,
      revision: SSE_VERSION,
      openedSession: null,
    };
    connection.hold(exchange, this.#respond(connection, exchange, call, message).finally(giveBack));
  }

  /** Never rejects. */
  async #respond(
    connection: SseConnection,
    exchange: SseExchange,
    call: LegacyCall,
    message: JsonRpcRequest,
  ): Promise<void> {
    const answer = await this.#server.dispatch(message, call);
    const opened = call.openedSession;
    if (opened !== null) {
      connection.enter(opened);
      // First, so that a client that has its answer keeps its connection while a server of ours is away for a moment.
      await connection.tell();
    }
    if (message.method === 'initialize') connection.isInitializing = false;
    exchange.answered();
    if (answer !== null && !exchange.isStopped) connection.send(answer.message);
  }
}
