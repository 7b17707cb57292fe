import { Router } from 'express';

export interface HealthProbes {
  /** Rejects when Postgres does not answer. */
  readonly database: () => Promise<unknown>;
  /** False from the moment the process is asked to stop. */
  readonly accepting: () => boolean;
}

/** /healthz: the process lives. /readyz: it can accept and serve, for load balancers and orchestrators. */
export function healthRouter(probes: HealthProbes): Router {
  const router = Router();
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    if (!probes.accepting()) {
      response.status(503).json({ status: 'stopping' });
      return;
    }
    try {
      await probes.database();
      response.json({ status: 'ready' });
    } catch (error) {
      response.locals.log.warn({ err: error }, 'not ready');
      response.status(503).json({ status: 'database unavailable' });
    }
  });
  return router;
}
