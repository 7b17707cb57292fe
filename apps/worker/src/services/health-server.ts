import { SideServer } from './side-server.ts';

export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  /** Whether the worker has its seats and Postgres has heard of it lately. */
  readonly isReady: () => boolean;
}

/** /healthz: the process lives. /readyz: the worker takes tasks; 503 before that, after that, and while Postgres is away. */
export function healthServer({ host, port, isReady }: HealthServerOptions): SideServer {
  const answerTo = (path: string | undefined): [number, { readonly status: string }] => {
    if (path === '/healthz') return [200, { status: 'ok' }];
    if (path !== '/readyz') return [404, { status: 'not found' }];
    return isReady() ? [200, { status: 'ready' }] : [503, { status: 'not ready' }];
  };
  return new SideServer({
    host,
    port,
    variables: { host: 'HOST', port: 'HEALTH_PORT' },
    answer: (request, response) => {
      const [code, body] = answerTo(request.url);
      response.writeHead(code, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    },
  });
}
