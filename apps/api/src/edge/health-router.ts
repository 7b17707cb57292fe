import { type Response, Router } from 'express';

/** What Postgres has answered is good for everybody who asks within this time, in milliseconds. */
const FRESH_MS = 250;

export interface HealthProbes {
  /** How many workers live. Rejects when Postgres does not answer. */
  readonly workers: () => Promise<number>;
  /** False from the moment the process is asked to stop. */
  readonly accepting: () => boolean;
  /** Milliseconds that only go forward. */
  readonly now?: () => number;
}

/**
 * /healthz: the process lives. /readyz: it can accept and serve, for load balancers and orchestrators; also without
 * workers, which may come later. Anybody may ask, so that however many do, Postgres is asked once at a time.
 */
export function healthRouter(probes: HealthProbes): Router {
  const now = probes.now ?? (() => performance.now());
  let probe: { until: number; readonly workers: Promise<number | null> } = {
    until: Number.NEGATIVE_INFINITY,
    workers: Promise.resolve(null),
  };
  /** @returns null when Postgres does not answer */
  const livingWorkers = (response: Response): Promise<number | null> => {
    if (now() >= probe.until) {
      const begun = {
        // Until it has answered.
        until: Number.POSITIVE_INFINITY,
        workers: probes
          .workers()
          .catch((error: unknown) => {
            response.locals.log.warn({ err: error }, 'not ready');
            return null;
          })
          .finally(() => (begun.until = now() + FRESH_MS)),
      };
      probe = begun;
    }
    return probe.workers;
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
    const workers = await livingWorkers(response);
    if (workers === null) response.status(503).json({ status: 'database unavailable' });
    else response.json({ status: 'ready', workers });
  });
  return router;
}
