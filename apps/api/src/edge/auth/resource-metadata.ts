import { ALL_SCOPES } from '@longshore/core';
import { Router } from 'express';
import type { HostGuard } from '../host-guard.ts';

const PATH = '/.well-known/oauth-protected-resource';

/** What this server is to an authorization server and its clients. */
export interface ProtectedResource {
  /** Without a path. */
  readonly publicUrl: string;
  readonly issuer: string;
}

/** The resource that tokens are for (RFC 8707): the MCP endpoint. */
export function resourceOf({ publicUrl }: ProtectedResource): string {
  return new URL('/mcp', publicUrl).href;
}

/** Parameters of every challenge: where to read on, and what a client should ask for. */
export function oauthChallenge({ publicUrl }: ProtectedResource): Record<string, string> {
  return {
    resource_metadata: new URL(`${PATH}/mcp`, publicUrl).href,
    scope: ALL_SCOPES.join(' '),
  };
}

/**
 * Says which authorization server makes tokens for the MCP endpoint: at the place of /mcp, and at the root
 * for clients that look there.
 *
 * @see RFC 9728, 3 · 2025-11-25 basic/authorization, "Protected Resource Metadata Discovery Requirements"
 */
export function resourceMetadataRouter(resource: ProtectedResource, guard: HostGuard): Router {
  const metadata = {
    resource: resourceOf(resource),
    authorization_servers: [resource.issuer],
    scopes_supported: ALL_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Longshore',
  };
  const router = Router();
  router.all([PATH, `${PATH}/mcp`], (request, response) => {
    if (!guard.admits(request, response)) return;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.status(405).setHeader('Allow', 'GET, HEAD').end();
      return;
    }
    // A copy kept for one origin is not for another.
    response.vary('Origin').setHeader('Cache-Control', 'public, max-age=300');
    response.json(metadata);
  });
  return router;
}
