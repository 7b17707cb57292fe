import type { ServerResponse } from 'node:http';
import type { Logger } from '@longshore/core';
import type { WorkerMetrics } from '@longshore/metrics';
import { tokenCheck } from '@longshore/runtime';
import { SideServer } from './side-server.ts';

export interface MetricsServerOptions {
  readonly host: string;
  readonly port: number;
  /** What a scraper has to show; null: nothing. */
  readonly token: string | null;
  readonly metrics: Pick<WorkerMetrics, 'read'>;
  readonly log: Logger;
}

/** /metrics of a worker, and nothing else. */
export function metricsServer(options: MetricsServerOptions): SideServer {
  const { host, port, token } = options;
  const isAllowed = token === null ? () => true : tokenCheck(token);
  return new SideServer({
    host,
    port,
    variables: { host: 'METRICS_HOST', port: 'METRICS_PORT' },
    answer: (request, response) => {
      const path = request.url?.split('?')[0];
      if (path !== '/metrics') response.writeHead(404).end();
      else if (request.method !== 'GET') response.writeHead(405, { Allow: 'GET' }).end();
      else if (!isAllowed(request.headers.authorization))
        response.writeHead(401, { 'WWW-Authenticate': 'Bearer realm="longshore"' }).end();
      else void sendMetrics(response, options);
    },
  });
}

async function sendMetrics(
  response: ServerResponse,
  { metrics, log }: Pick<MetricsServerOptions, 'metrics' | 'log'>,
): Promise<void> {
  try {
    const { contentType, body } = await metrics.read();
    response.writeHead(200, { 'Content-Type': contentType }).end(body);
  } catch (err) {
    log.error({ err }, 'metrics could not be read');
    response.writeHead(500).end();
  }
}
