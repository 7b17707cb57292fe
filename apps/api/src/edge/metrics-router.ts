import type { ApiMetrics } from '@longshore/metrics';
import { tokenCheck } from '@longshore/runtime';
import { Router } from 'express';
import type { Authenticator } from './auth/authenticator.ts';
import { requireScopes } from './auth/required-scopes.ts';
import type { HostGuard } from './host-guard.ts';

/** What reading the metrics needs. */
const METRICS_SCOPES: readonly string[] = ['ops:read'];

/** What /metrics is made of. */
export interface MetricsAccess {
  readonly metrics: Pick<ApiMetrics, 'read'>;
  /** What a scraper shows, by whatever name it calls this host; null: it is a caller like any other. */
  readonly metricsToken: string | null;
}

/** /metrics, for those who run the server: with the token of scrapers, or with credentials that admit `ops:read`. */
export function metricsRouter(
  { metrics, metricsToken }: MetricsAccess,
  { guard, authenticator }: { guard: HostGuard; authenticator: Authenticator },
): Router {
  const isScraper = metricsToken === null ? () => false : tokenCheck(metricsToken);
  const router = Router();
  router.get('/metrics', async (request, response) => {
    if (!isScraper(request.headers.authorization)) {
      if (!guard.admits(request, response)) return;
      requireScopes(await authenticator.authenticate(request.headers), METRICS_SCOPES);
    }
    const { contentType, body } = await metrics.read();
    response
      .setHeader('Content-Type', contentType)
      .setHeader('Cache-Control', 'no-store')
      .end(body);
  });
  return router;
}
