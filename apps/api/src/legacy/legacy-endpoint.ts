import {
  type Access,
  LongshoreError,
  type PrincipalId,
  type Service,
  type Session,
} from '@longshore/core';
import {
  decodeEventId,
  isLegacyVersion,
  type JsonRpcRequest,
  LEGACY_VERSIONS,
  parseInbound,
  speaksTasks,
  type TaskStreamPlace,
} from '@longshore/protocol';
import type { Request, Response } from 'express';
import { type Accepted, accepted } from '../edge/accepts.ts';
import { FOREIGN_END_SCOPES, requiredScopes, requireScopes } from '../edge/auth/required-scopes.ts';
import type { KeepAlive } from '../edge/keep-alive.ts';
import { rateMessage } from '../edge/limits/card-calls.ts';
import { PostExchange } from '../edge/post-exchange.ts';
import { whenClosed } from '../edge/when-closed.ts';
import { type Answer, answerOf } from '../methods/answer.ts';
import type { ApiContext } from '../methods/api-context.ts';
import type { LegacyCall } from './legacy-call.ts';
import { LegacyServer } from './legacy-server.ts';
import { findResumable, resumeRequest } from './resume-request.ts';
import { SessionStreams } from './session-streams.ts';
import { takeMessage } from './take-message.ts';

export interface LegacyEndpointOptions {
  readonly context: ApiContext;
  readonly keepAlive: KeepAlive;
  /** How old the connection of a client that comes back may get, in milliseconds; null: as old as it likes. */
  readonly maxStreamMs: number | null;
}

/**
 * Streamable HTTP of the handshake revisions: POST carries one message, GET opens the session's stream or
 * goes on with any stream that broke, DELETE ends the session. Any replica serves any session.
 *
 * @see 2025-11-25 basic/transports
 */
export class LegacyEndpoint implements Service {
  /** Answers the requests. */
  readonly server: LegacyServer;
  readonly #context: ApiContext;
  readonly #keepAlive: KeepAlive;
  readonly #maxStreamMs: number | null;
  readonly #sessionStreams: SessionStreams;
  readonly #exchanges = new Map<PostExchange, Promise<void>>();
  #stopping = false;

  constructor(options: LegacyEndpointOptions) {
    this.#context = options.context;
    this.#keepAlive = options.keepAlive;
    this.#maxStreamMs = options.maxStreamMs;
    this.server = new LegacyServer(options.context);
    this.#sessionStreams = new SessionStreams({ ...options, maxAgeMs: options.maxStreamMs });
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Lets go of everything held open: the clients come back to another replica. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const exchange of this.#exchanges.keys()) exchange.stop('shutdown');
    await Promise.allSettled([this.#sessionStreams.stop(), ...this.#exchanges.values()]);
  }

  async post(request: Request, response: Response, access: Access): Promise<void> {
    const inbound = parseInbound(request.body);
    checkVersionHeader(request);
    if (inbound.kind === 'request') {
      await this.#answer(request, response, access, inbound.message);
      return;
    }
    // Taken in any case: a question has its answer once, and a withdrawal makes less work.
    const session = await this.#session(request, access, 'count');
    await takeMessage(this.#context, session, access, inbound);
    response.status(202).end();
  }

  async get(request: Request, response: Response, access: Access): Promise<void> {
    const accepts = accepted(request);
    if (!accepts.eventStream) {
      throw new LongshoreError(
        'NOT_ACCEPTABLE',
        'A GET opens an event stream: accept text/event-stream',
      );
    }
    checkVersionHeader(request);
    const session = await this.#session(request, access, 'take');
    const lastEventId = request.headers['last-event-id'];
    const place =
      typeof lastEventId === 'string' && lastEventId !== '' ? decodeEventId(lastEventId) : null;
    if (place?.kind === 'ended') {
      // SDK 1.x comes back after an error, and any client after a request it withdrew. This stops it.
      response.status(405).set('Allow', 'POST, DELETE').end();
      return;
    }
    if (place !== null && place.kind !== 'session') {
      if (place.kind === 'result') requireScopes(access, requiredScopes('tasks/result', {}));
      await this.#resume(response, session, access, place);
      return;
    }
    if (this.#stopping) throw new LongshoreError('SHUTTING_DOWN', 'This server is stopping');
    whenClosed(response, this.#take(session, access));
    await this.#sessionStreams.open(response, session, place);
  }

  async delete(request: Request, response: Response, access: Access): Promise<void> {
    checkVersionHeader(request);
    const session = await this.#stored(request, access, 'count');
    if (session.authBindingId !== access.identity.authBindingId) {
      requireScopes(access, FOREIGN_END_SCOPES);
    }
    await this.#context.sessions.end(session);
    response.status(204).end();
  }

  async #answer(
    request: Request,
    response: Response,
    access: Access,
    message: JsonRpcRequest,
  ): Promise<void> {
    const accepts = accepted(request);
    if (!accepts.json && !accepts.eventStream) {
      throw new LongshoreError(
        'NOT_ACCEPTABLE',
        'Accept must admit application/json and text/event-stream',
      );
    }
    if (this.#stopping) throw new LongshoreError('SHUTTING_DOWN', 'This server is stopping');
    const isFirst = message.method === 'initialize';
    if (isFirst) this.#rate(access.identity.principalId, access, 'take', request);
    const session = isFirst ? null : await this.#session(request, access, 'take');
    requireScopes(access, requiredScopes(message.method, message.params ?? {}));
    const exchange = this.#exchange(response, session, { requestId: message.id, accepts });
    await this.#hold(response, exchange, session, access, (call) =>
      this.server.dispatch(message, call),
    );
  }

  /** Goes on with the stream of a request that was sent on another connection. */
  async #resume(
    response: Response,
    session: Session,
    access: Access,
    place: TaskStreamPlace,
  ): Promise<void> {
    if (this.#stopping) throw new LongshoreError('SHUTTING_DOWN', 'This server is stopping');
    const task = await findResumable(this.#context, session, place);
    const accepts = { json: false, eventStream: true };
    const exchange = this.#exchange(response, session, { requestId: place.requestId, accepts });
    await this.#hold(response, exchange, session, access, () =>
      answerOf('legacy', exchange, () =>
        resumeRequest(this.#context, session, place, task, exchange),
      ),
    );
  }

  #exchange(
    response: Response,
    session: Session | null,
    request: { requestId: string | number; accepts: Accepted },
  ): PostExchange {
    return new PostExchange(response, {
      requestId: request.requestId,
      accepted: request.accepts,
      keepAlive: this.#keepAlive,
      log: response.locals.log,
      comesBack: session !== null && speaksTasks(session.protocolVersion),
      maxAgeMs: this.#maxStreamMs,
    });
  }

  /** Keeps the exchange where `stop` finds it until it has its answer. */
  async #hold(
    response: Response,
    exchange: PostExchange,
    session: Session | null,
    access: Access,
    respond: (call: LegacyCall) => Promise<Answer | null>,
  ): Promise<void> {
    const giveBack = session === null ? null : this.#take(session, access);
    const call = { session, access, delivery: exchange, revision: null, openedSession: null };
    const done = this.#respond(exchange, response, call, respond).finally(() => {
      this.#exchanges.delete(exchange);
      giveBack?.();
    });
    this.#exchanges.set(exchange, done);
    await done;
  }

  async #respond(
    exchange: PostExchange,
    response: Response,
    call: LegacyCall,
    respond: (call: LegacyCall) => Promise<Answer | null>,
  ): Promise<void> {
    const { log } = response.locals;
    const { session } = call;
    if (session !== null) {
      log.bind({ sessionId: session.id, principal: session.principalId });
      log.identify(session);
    }
    const answer = await respond(call);
    const headers: Record<string, string> = { 'X-Request-Id': log.requestId };
    const seconds = answer?.retryAfterSeconds ?? null;
    if (seconds !== null) headers['Retry-After'] = String(seconds);
    if (call.openedSession !== null) headers['Mcp-Session-Id'] = call.openedSession.id;
    exchange.respond(answer?.message ?? null, answer?.httpStatus ?? 200, headers);
  }

  /**
   * Counts what is held open for a session. @returns to be called at its end
   * @throws {LongshoreError} TOO_MANY_STREAMS
   */
  #take({ id, principalId }: Session, access: Access): () => void {
    const { held, limitsOf, sessions } = this.#context;
    const giveBack = held.take(principalId, limitsOf(access).openStreams);
    const letGo = sessions.hold(id);
    return () => {
      giveBack();
      letGo();
    };
  }

  /** @throws {LongshoreError} RATE_LIMITED */
  #rate(principalId: PrincipalId, access: Access, how: 'take' | 'count', request: Request): void {
    const { body: message, cost } = request;
    rateMessage(this.#context, { principalId, access }, how, { message, cost });
  }

  /** The session a request names; what comes of the request came through the credential of the request. */
  async #session(request: Request, access: Access, how: 'take' | 'count'): Promise<Session> {
    const session = await this.#stored(request, access, how);
    const owner = access.sessionIdentity;
    return owner === null || owner.authBindingId === session.authBindingId
      ? session
      : { ...session, authBindingId: owner.authBindingId };
  }

  /**
   * The session a request names, as it was opened. One of another principal is as unknown as one that never was.
   *
   * @param how the request counts: `take` refuses one too many, before anything is looked up where the
   *   principal is known by then
   * @throws {LongshoreError} SESSION_REQUIRED · SESSION_NOT_FOUND · RATE_LIMITED
   */
  async #stored(request: Request, access: Access, how: 'take' | 'count'): Promise<Session> {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string' || id === '') {
      throw new LongshoreError(
        'SESSION_REQUIRED',
        'The Mcp-Session-Id header is missing: initialize first',
      );
    }
    const { sessions } = this.#context;
    const ownerId = access.sessionIdentity?.principalId ?? null;
    if (ownerId !== null) this.#rate(ownerId, access, how, request);
    const session = sessions.cached(id, ownerId) ?? (await sessions.get(id, ownerId));
    if (ownerId === null) this.#rate(session.principalId, access, how, request);
    return session;
  }
}

function checkVersionHeader(request: Request): void {
  const version = request.headers['mcp-protocol-version'];
  if (version === undefined || (typeof version === 'string' && isLegacyVersion(version))) return;
  throw new LongshoreError('UNSUPPORTED_VERSION', 'Unsupported MCP-Protocol-Version', {
    details: { supported: LEGACY_VERSIONS, requested: version },
  });
}
