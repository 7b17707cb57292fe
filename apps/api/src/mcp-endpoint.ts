import type { Access } from '@longshore/core';
import { classifyEra } from '@longshore/protocol';
import type { Request, RequestHandler, Response } from 'express';
import type { Authenticator } from './edge/auth/authenticator.ts';
import type { OpenResponses } from './edge/auth/open-responses.ts';
import type { HostGuard } from './edge/host-guard.ts';
import { jsonBodyReader } from './edge/json-body.ts';
import type { LegacyEndpoint } from './legacy/legacy-endpoint.ts';
import type { ModernEndpoint } from './modern/modern-endpoint.ts';

/**
 * The MCP endpoint: who calls is found out first, for every request. Then each POST goes to its era's leg, GET
 * and DELETE belong to legacy sessions. One handler rather than a router of layers: every layer Express walks
 * through costs each call.
 */
export function mcpEndpoint(options: {
  guard: HostGuard;
  authenticator: Authenticator;
  /** Null: credentials can not be revoked. */
  openResponses: OpenResponses | null;
  legacy: LegacyEndpoint;
  modern: ModernEndpoint;
  maxBodyBytes: number;
}): RequestHandler {
  const { guard, authenticator, openResponses, legacy, modern } = options;
  const readBody = jsonBodyReader(options.maxBodyBytes);
  const post = async (request: Request, response: Response, access: Access): Promise<void> => {
    await readBody(request, response);
    const version = request.headers['mcp-protocol-version'];
    const era = classifyEra(request.body, typeof version === 'string' ? version : undefined);
    response.locals.era = era;
    await (era === 'modern' ? modern : legacy).post(request, response, access);
  };
  return async (request, response) => {
    if (!guard.admits(request, response)) return;
    const found = authenticator.authenticate(request.headers);
    const access = found instanceof Promise ? await found : found;
    openResponses?.add(access.identity.authBindingId, response);
    response.locals.log.identify(access.identity);
    switch (request.method) {
      case 'POST':
        return post(request, response, access);
      case 'GET':
        return legacy.get(request, response, access);
      case 'DELETE':
        return legacy.delete(request, response, access);
      default:
        response.status(405).setHeader('Allow', 'GET, POST, DELETE').end();
    }
  };
}
