import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A load balancer without any affinity, in front of real servers. */
export interface RoundRobinProxy {
  /** Same path as the first target's. */
  readonly url: string;
  /** How many requests went to each target, in the order of the targets. */
  readonly counts: readonly number[];
  /** From now on requests go to these. */
  retarget(urls: readonly string[]): void;
  close(): Promise<void>;
}

/** Headers of one connection only (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding']);

/**
 * Starts a proxy on a free port of 127.0.0.1 that sends each request to the next target in turn and passes
 * bodies through as they come, event streams too. A target that can not be reached is a 502; a connection
 * that breaks on one side is broken on the other.
 *
 * @param urls at least one, all with the same path
 */
export async function startRoundRobinProxy(urls: readonly string[]): Promise<RoundRobinProxy> {
  let targets = urls.map((url) => new URL(url));
  const counts = urls.map(() => 0);
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const index = turn % targets.length;
    turn += 1;
    const target = targets[index];
    if (target === undefined) {
      outgoing.writeHead(502).end();
      return;
    }
    counts[index] = (counts[index] ?? 0) + 1;
    forward(target, incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}${targets[0]?.pathname ?? '/'}`,
    counts,
    retarget: (next) => {
      targets = next.map((url) => new URL(url));
    },
    close,
  };
}

function forward(target: URL, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const onward = request(
    {
      host: target.hostname,
      port: target.port,
      method: incoming.method,
      path: incoming.url,
      headers: endToEnd(incoming.headers),
      agent: false,
    },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.once('error', () => outgoing.destroy());
    },
  );
  onward.once('error', () => {
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  });
  // A client that goes away must be seen to do so by the server.
  outgoing.once('close', () => onward.destroy());
  incoming.pipe(onward);
}

function endToEnd(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}
