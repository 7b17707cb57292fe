import type { RootLogger } from '@longshore/runtime';
import express, { type Express } from 'express';
import {
  DOWNLOAD_PATHS,
  type DownloadOptions,
  downloadEndpoint,
} from './contents/download-endpoint.ts';
import type { AuditTrail } from './edge/audit-trail.ts';
import type { Authenticator } from './edge/auth/authenticator.ts';
import type { Challenge } from './edge/auth/challenge.ts';
import type { OpenResponses } from './edge/auth/open-responses.ts';
import { type ProtectedResource, resourceMetadataRouter } from './edge/auth/resource-metadata.ts';
import { errorHandler } from './edge/error-handler.ts';
import { type HealthProbes, healthRouter } from './edge/health-router.ts';
import { HostGuard, type HostGuardOptions } from './edge/host-guard.ts';
import { type MetricsAccess, metricsRouter } from './edge/metrics-router.ts';
import { startRequestLog } from './edge/request-log.ts';
import type { LegacyEndpoint } from './legacy/legacy-endpoint.ts';
import type { SseEndpoint } from './legacy/sse/sse-endpoint.ts';
import { sseHandlers } from './legacy/sse/sse-handlers.ts';
import { mcpEndpoint } from './mcp-endpoint.ts';
import type { ModernEndpoint } from './modern/modern-endpoint.ts';
import type { OperatorDoor } from './operator-door.ts';

export interface AppOptions extends HostGuardOptions, MetricsAccess {
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
  readonly operators: Pick<OperatorDoor, 'to'>;
  readonly audit: AuditTrail;
  readonly log: RootLogger;
}

/** Puts the Express application together; `api-process.ts` makes it listen. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((request, response, next) => {
    startRequestLog(options.log, options.audit, request, response);
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
  app.use('/api/v1', options.operators.to('api', guard));
  app.use('/dashboard', options.operators.to('dashboard', guard));
  app.use(healthRouter(options.health));
  app.use(metricsRouter(options, { ...options, guard }));
  app.use((_request, response) => {
    response
      .status(404)
      .json({ error: 'Not found. The MCP endpoint is /mcp, the dashboard /dashboard.' });
  });
  app.use(errorHandler(options.challenge));
  return app;
}
