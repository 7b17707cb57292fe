import { LongshoreError } from '@longshore/core';
import { errorToWire, readableId, retryAfterSeconds } from '@longshore/protocol';
import type { ErrorRequestHandler } from 'express';
import type { Challenge } from './auth/challenge.ts';
import { logFailure } from './log-failure.ts';

/**
 * Errors decided before a request reaches its method: status and JSON-RPC error body.
 * @param challenge says what credentials would do
 */
export function errorHandler(challenge: Challenge): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const wire = errorToWire(error, response.locals.era);
    const log = response.locals.log;
    logFailure(log, error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { code, message, data } = wire;
    const id = readableId(request.body);
    response.setHeader('X-Request-Id', log.requestId);
    const authenticate = error instanceof LongshoreError ? challenge(error) : null;
    if (authenticate !== null) response.setHeader('WWW-Authenticate', authenticate);
    const seconds = retryAfterSeconds(error);
    if (seconds !== null) response.setHeader('Retry-After', String(seconds));
    response
      .status(wire.httpStatus)
      .json({ jsonrpc: '2.0', ...(id === null ? {} : { id }), error: { code, message, data } });
  };
}
