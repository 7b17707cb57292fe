import type { Access } from '@longshore/core';
import type { Request, RequestHandler, Response } from 'express';
import type { Authenticator } from '../../edge/auth/authenticator.ts';
import type { OpenResponses } from '../../edge/auth/open-responses.ts';
import type { HostGuard } from '../../edge/host-guard.ts';
import { jsonBodyReader } from '../../edge/json-body.ts';
import type { SseEndpoint } from './sse-endpoint.ts';

export interface SseHandlerOptions {
  readonly guard: HostGuard;
  readonly authenticator: Authenticator;
  /** Null: credentials can not be revoked. */
  readonly openResponses: OpenResponses | null;
  readonly maxBodyBytes: number;
}

/** GET /sse and POST /messages: who calls is found out first, as at /mcp. */
export function sseHandlers(
  sse: SseEndpoint,
  options: SseHandlerOptions,
): { readonly stream: RequestHandler; readonly messages: RequestHandler } {
  const { guard, authenticator, openResponses, maxBodyBytes } = options;
  const readBody = jsonBodyReader(maxBodyBytes);
  const admitting =
    (
      method: 'GET' | 'POST',
      serve: (request: Request, response: Response, access: Access) => Promise<void>,
    ): RequestHandler =>
    async (request, response) => {
      if (!guard.admits(request, response)) return;
      const access = await authenticator.authenticate(request.headers);
      openResponses?.add(access.identity.authBindingId, response);
      if (request.method === method) await serve(request, response, access);
      else response.status(405).setHeader('Allow', method).end();
    };
  return {
    stream: admitting('GET', (request, response, access) => sse.open(request, response, access)),
    messages: admitting('POST', async (request, response, access) => {
      await readBody(request, response);
      response.locals.era = 'legacy';
      await sse.post(request, response, access);
    }),
  };
}
