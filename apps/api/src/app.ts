import type { RootLogger } from '@longshore/runtime';
import express, { type Express } from 'express';
import type { Authenticator } from './auth/authenticator.ts';
import type { Challenge } from './auth/challenge.ts';
import type { OpenResponses } from './auth/open-responses.ts';
import { type ProtectedResource, resourceMetadataRouter } from './auth/resource-metadata.ts';
import {
  DOWNLOAD_PATHS,
  type DownloadOptions,
  downloadEndpoint,
} from './contents/download-endpoint.ts';
import { errorHandler } from './http/error-handler.ts';
import { type HealthProbes, healthRouter } from './http/health-router.ts';
import { HostGuard, type HostGuardOptions } from './http/host-guard.ts';
import { mcpEndpoint } from './http/mcp-endpoint.ts';
import { startRequestLog } from './http/request-log.ts';
import type { LegacyEndpoint } from './legacy/legacy-endpoint.ts';
import type { ModernEndpoint } from './modern/modern-endpoint.ts';
import type { SseEndpoint } from './sse/sse-endpoint.ts';
import { sseHandlers } from './sse/sse-handlers.ts';

export interface AppOptions extends HostGuardOptions {
  readonly legacy: LegacyEndpoint;
  readonly modern: ModernEndpoint;
  /** Null: the transport of 2024-11-05 is off. */
  readonly sse: SseEndpoint | null;
  readonly authenticator: Authenticator;
  readonly challenge: Challenge;
  /** Null: credentials can not be revoked. */
  readonly openResponses: OpenResponses | null;
  /** Null: there is no authorization server. */
  readonly resource: ProtectedResource | null;
  readonly context: DownloadOptions['context'];
  readonly health: HealthProbes;
  readonly maxBodyBytes: number;
  readonly log: RootLogger;
}

/** Puts the Express application together; `main.ts` makes it listen. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((request, response, next) => {
    startRequestLog(options.log, request, response);
    next();
  });
  const guard = new HostGuard(options);
  app.all('/mcp', mcpEndpoint({ ...options, guard }));
  if (options.sse !== null) {
    const { stream, messages } = sseHandlers(options.sse, { ...options, guard });
    app.all('/sse', stream);
    app.all('/messages', messages);
  }
  app.all(DOWNLOAD_PATHS, downloadEndpoint({ ...options, guard }));
  if (options.resource !== null) app.use(resourceMetadataRouter(options.resource, guard));
  app.use(healthRouter(options.health));
  app.use((_request, response) => {
    response.status(404).json({ error: 'Not found. The MCP endpoint is /mcp.' });
  });
  app.use(errorHandler(options.challenge));
  return app;
}
