import { type Access, type Identity, LongshoreError, type Service } from '@longshore/core';
import { type ModernRequest, parseModernRequest } from '@longshore/protocol';
import type { Request, Response } from 'express';
import { accepted } from '../edge/accepts.ts';
import { requiredScopes, requireScopes } from '../edge/auth/required-scopes.ts';
import type { KeepAlive } from '../edge/keep-alive.ts';
import { rateMessage } from '../edge/limits/card-calls.ts';
import { settledWithin } from '../edge/settled-within.ts';
import { type Answer, answerOf } from '../methods/answer.ts';
import type { ModernCall, ResumedRow } from './modern-call.ts';
import type { ModernContext } from './modern-context.ts';
import { ModernExchange } from './modern-exchange.ts';
import { ModernServer } from './modern-server.ts';

interface OpenExchange {
  readonly done: Promise<void>;
  /** It ends when one of the two sides goes. */
  readonly isEndless: boolean;
}

/** Methods that may be answered with questions, and come again with answers. */
const SEVERAL_ROUNDS = new Set(['tools/call', 'prompts/get', 'resources/read']);

/**
 * Streamable HTTP of 2026-07-28: each POST says all there is to know about itself, so any replica answers
 * any request, and sessions there are none (an Mcp-Session-Id header is ignored).
 *
 * Notifications are taken and dropped. That includes notifications/cancelled: without sessions, ids of two
 * clients of one principal may be the same, and a request is withdrawn by closing its connection.
 *
 * @see 2026-07-28 basic/transports/streamable-http
 */
export class ModernEndpoint implements Service {
  readonly #context: ModernContext;
  readonly #keepAlive: KeepAlive;
  readonly #server: ModernServer;
  readonly #drainMs: number;
  readonly #exchanges = new Map<ModernExchange, OpenExchange>();
  #stopping = false;

  /** @param options.drainMs how long a stop waits for calls under way, which no other replica can go on with */
  constructor(options: { context: ModernContext; keepAlive: KeepAlive; drainMs: number }) {
    this.#context = options.context;
    this.#keepAlive = options.keepAlive;
    this.#drainMs = options.drainMs;
    this.#server = new ModernServer(options.context);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * Lets calls finish, for a while; then ends everything held open, with an answer: the clients ask another
   * replica.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    const calls: Promise<void>[] = [];
    for (const [exchange, { done, isEndless }] of this.#exchanges) {
      if (isEndless) exchange.stop('shutdown');
      else calls.push(done);
    }
    await settledWithin(calls, this.#drainMs);
    for (const exchange of this.#exchanges.keys()) exchange.stop('shutdown');
    await Promise.allSettled([...this.#exchanges.values()].map(({ done }) => done));
  }

  async post(request: Request, response: Response, access: Access): Promise<void> {
    const { taskNameHeader } = this.#context;
    const inbound = parseModernRequest(request.headers, request.body, taskNameHeader);
    const { principalId } = access.identity;
    const caller = { principalId, access };
    const rated = { message: request.body, cost: request.cost };
    if (inbound.kind === 'notification') {
      rateMessage(this.#context, caller, 'count', rated);
      response.status(202).end();
      return;
    }
    rateMessage(this.#context, caller, 'take', rated);
    requireScopes(access, requiredScopes(inbound.request.method, inbound.request.params));
    const accepts = accepted(request);
    if (!accepts.json && !accepts.eventStream) {
      throw new LongshoreError(
        'NOT_ACCEPTABLE',
        'Accept must admit application/json and text/event-stream',
      );
    }
    if (this.#stopping) throw new LongshoreError('SHUTTING_DOWN', 'This server is stopping');
    const { log } = response.locals;
    const { id: requestId, method } = inbound.request;
    log.bind({ principal: principalId, method });
    const exchange = new ModernExchange(response, {
      requestId,
      accepted: accepts,
      keepAlive: this.#keepAlive,
      log,
    });
    const done = this.#answer(exchange, request, access, inbound.request)
      .then((answer) => {
        if (answer === null) return;
        exchange.respond(answer.message, answer.httpStatus, {
          'X-Request-Id': log.requestId,
          ...(answer.retryAfterSeconds === null
            ? {}
            : { 'Retry-After': String(answer.retryAfterSeconds) }),
        });
      })
      .finally(() => this.#exchanges.delete(exchange));
    this.#exchanges.set(exchange, { done, isEndless: method === 'subscriptions/listen' });
    await done;
  }

  /** Never rejects. @returns null when nobody waits for it any more */
  #answer(
    exchange: ModernExchange,
    request: Request,
    access: Access,
    message: ModernRequest,
  ): Promise<Answer | null> {
    return answerOf('modern', exchange, async () => {
      const result = await this.#server.dispatch(this.#call(exchange, request, access, message));
      if (result !== null || exchange.stopped === 'disconnected') return result;
      throw new LongshoreError('SHUTTING_DOWN', 'This server is stopping');
    });
  }

  /** @throws {LongshoreError} INVALID_REQUEST_STATE */
  #call(
    delivery: ModernExchange,
    request: Request,
    access: Access,
    message: ModernRequest,
  ): ModernCall {
    const { method, params, envelope } = message;
    const { identity } = access;
    return {
      method,
      params,
      headers: request.headers,
      envelope,
      identity,
      access,
      delivery,
      resumed: this.#resumed(identity, message),
      answer: null,
    };
  }

  #resumed({ principalId }: Identity, { method, params }: ModernRequest): ResumedRow | null {
    const state = params['requestState'];
    if (typeof state !== 'string' || !SEVERAL_ROUNDS.has(method)) return null;
    return this.#context.requestStates.verify(state, { principalId, method, params });
  }
}
