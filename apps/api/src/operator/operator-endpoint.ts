import { LongshoreError } from '@longshore/core';
import { OPERATIONS, type Operation, type OperationName } from '@longshore/operator';
import { errorToHttp, retryAfterSeconds } from '@longshore/protocol';
import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import * as z from 'zod';
import type { Authenticator } from '../edge/auth/authenticator.ts';
import type { Challenge } from '../edge/auth/challenge.ts';
import type { OpenResponses } from '../edge/auth/open-responses.ts';
import { requireScopes } from '../edge/auth/required-scopes.ts';
import type { HostGuard } from '../edge/host-guard.ts';
import { jsonBodyReader } from '../edge/json-body.ts';
import { logFailure } from '../edge/log-failure.ts';
import { accessOperations } from './access-operations.ts';
import { fleetActions } from './act-on-fleet.ts';
import { taskActions } from './act-on-tasks.ts';
import { auditOperations } from './audit-operations.ts';
import { bulkOperations } from './bulk-operations.ts';
import type { OAuthLogin } from './oauth-login.ts';
import { openApiDocument } from './openapi.ts';
import { type Handlers, Operator, type OperatorContext } from './operation.ts';
import type { OperatorStream } from './operator-stream.ts';
import { batchReads } from './read-batches.ts';
import { fleetReads } from './read-fleet.ts';
import { taskReads } from './read-tasks.ts';
import { webhookOperations } from './webhook-operations.ts';

const HANDLERS: Handlers<OperationName> = {
  ...accessOperations,
  ...auditOperations,
  ...batchReads,
  ...bulkOperations,
  ...fleetActions,
  ...fleetReads,
  ...taskActions,
  ...taskReads,
  ...webhookOperations,
};

export interface OperatorEndpointOptions {
  readonly guard: HostGuard;
  readonly authenticator: Authenticator;
  readonly challenge: Challenge;
  /** Null: credentials can not be revoked. */
  readonly openResponses: OpenResponses | null;
  readonly operators: OperatorContext;
  readonly stream: OperatorStream;
  readonly maxBodyBytes: number;
}

/**
 * The operator API, below `/api/v1`: each operation of `OPERATIONS` with what it takes checked by its schemas, the stream of
 * changes, and the document that says all this.
 */
export function operatorEndpoint(options: OperatorEndpointOptions): Router {
  const { guard, operators, stream } = options;
  const readBody = jsonBodyReader(options.maxBodyBytes);
  const router = Router({ caseSensitive: true, strict: true });
  router.use((request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    if (guard.admits(request, response)) next();
  });
  router.get('/openapi.json', (_request, response) => {
    response.json(openApiDocument(operators.version));
  });
  router.get('/session/oauth', (request, response) =>
    oauthOf(operators, request).begin(request, response),
  );
  router.get('/session/callback', (request, response) =>
    oauthOf(operators, request).finish(request, response),
  );
  router.get('/events', async (request, response) => {
    const operator = await authenticate(options, request, response);
    if (!operator.seesAll) requireScopes(operator.access, ['tasks:read']);
    const limit = operators.limitsOf(operator.access).openStreams;
    const giveBack = operators.held.take(operator.principalId, limit);
    stream.open(response, operator.visible, giveBack);
  });
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const operation: Operation = OPERATIONS[name];
    const [method = '', path = ''] = name.split(' ');
    const route = path.replace(/\{(\w+)\}/g, ':$1');
    router.route(route)[method.toLowerCase() as 'get'](async (request, response) => {
      const operator =
        operation.needs === 'nothing'
          ? NOBODY
          : await admitted(options, operation, request, response);
      if (operation.body !== undefined) await readBody(request, response);
      const handler = HANDLERS[name] as (
        context: OperatorContext,
        call: unknown,
      ) => Promise<unknown>;
      const answer = await handler(operators, {
        operator,
        params: checked(operation.params, request.params, 'path'),
        query: checked(operation.query, request.query, 'query'),
        body: checked(operation.body, request.body ?? {}, 'body'),
        request,
        response,
      });
      if (answer !== undefined) response.json(answer);
    });
  }
  router.use((request) => {
    throw new LongshoreError(
      'NOT_FOUND',
      `There is no operation ${request.method} ${request.path}`,
    );
  });
  router.use(operatorErrors(options.challenge));
  return router;
}

/** @throws {LongshoreError} NOT_FOUND */
function oauthOf({ oauth }: OperatorContext, { path }: Request): OAuthLogin {
  if (oauth !== null) return oauth;
  throw new LongshoreError('NOT_FOUND', `There is no login at an identity provider here: ${path}`);
}

/** Whoever logs in or out. */
const NOBODY = null;

/** @throws {LongshoreError} UNAUTHENTICATED · INSUFFICIENT_SCOPE · RATE_LIMITED */
async function admitted(
  options: OperatorEndpointOptions,
  { needs }: Operation,
  request: Request,
  response: Response,
): Promise<Operator> {
  const operator = await authenticate(options, request, response);
  const { access } = operator;
  if (needs === 'ops:read' || needs === 'ops:write') requireScopes(access, [needs]);
  if (needs === 'own:read' && !operator.seesAll) requireScopes(access, ['tasks:read']);
  // What acts on a task asks for the scope once it is known whose it is.
  return operator;
}

async function authenticate(
  { authenticator, openResponses, operators }: OperatorEndpointOptions,
  request: Request,
  response: Response,
): Promise<Operator> {
  const access = await authenticator.authenticate(await operators.logins.headersOf(request));
  openResponses?.add(access.identity.authBindingId, response);
  const operator = new Operator(access, response.locals.log);
  response.locals.log.bind({ principal: operator.principalId });
  response.locals.log.identify(access.identity);
  operators.rates.take(operator.principalId, operators.limitsOf(access).requestsPerMinute);
  return operator;
}

/** @throws {LongshoreError} INVALID_PARAMS, with each mistake */
function checked(schema: z.ZodObject | undefined, given: unknown, where: string): unknown {
  if (schema === undefined) return undefined;
  const parsed = z.strictObject(schema.shape).safeParse(given);
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues.slice(0, 10).map(({ path, message }) => {
    const place = path.join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  throw new LongshoreError('INVALID_PARAMS', `The ${where} does not fit: ${mistakes.join('; ')}`);
}

function operatorErrors(challenge: Challenge): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const { log } = response.locals;
    const known = unreadable(error);
    logFailure(log, known);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { status, body } = errorToHttp(known);
    response.setHeader('X-Request-Id', log.requestId);
    const authenticate = known instanceof LongshoreError ? challenge(known) : null;
    if (authenticate !== null) response.setHeader('WWW-Authenticate', authenticate);
    const seconds = retryAfterSeconds(known);
    if (seconds !== null) response.setHeader('Retry-After', String(seconds));
    response.status(status).json(body);
  };
}

/** A path that can not be decoded is the client's mistake. */
function unreadable(error: unknown): unknown {
  if (!(error instanceof URIError)) return error;
  return new LongshoreError('INVALID_PARAMS', 'The path can not be decoded', { cause: error });
}
