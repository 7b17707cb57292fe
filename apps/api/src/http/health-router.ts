import { type Response, Router } from 'express';

/** What Postgres has answered is good for everybody who asks within this time, in milliseconds. */
const FRESH_MS = 250;

export interface HealthProbes {
  /** Rejects when Postgres does not answer. */
  readonly database: () => Promise<unknown>;
  /** False from the moment the process is asked to stop. */
  readonly accepting: () => boolean;
  /** Milliseconds that only go forward. */
  readonly now?: () => number;
}

/**
 * /healthz: the process lives. /readyz: it can accept and serve, for load balancers and orchestrators. Anybody may
 * ask, so that however many do, Postgres is asked once at a time.
 */
export function healthRouter(probes: HealthProbes): Router {
  const now = probes.now ?? (() => performance.now());
  let probe = { until: Number.NEGATIVE_INFINITY, isReady: Promise.resolve(false) };
  const isReady = (response: Response): Promise<boolean> => {
    if (now() >= probe.until) {
      const begun = {
        // Until it has answered.
        until: Number.POSITIVE_INFINITY,
        isReady: probes
          .database()
          .then(
            () => true,
            (error: unknown) => {
              response.locals.log.warn({ err: error }, 'not ready');
              return false;
            },
          )
          .finally(() => (begun.until = now() + FRESH_MS)),
      };
      probe = begun;
    }
    return probe.isReady;
  };
  const router = Router();
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    if (!probes.accepting()) {
      response.status(503).json({ status: 'stopping' });
      return;
    }
    if (await isReady(response)) response.json({ status: 'ready' });
    else response.status(503).json({ status: 'database unavailable' });
  });
  return router;
}
