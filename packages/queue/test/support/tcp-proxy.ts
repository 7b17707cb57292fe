import type { AddressInfo } from 'node:net';
import { connect as connectTo, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy that plays a server which goes away. */
export interface TcpProxy {
  /** The same URL, through the proxy. */
  readonly url: string;
  /** Breaks all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Keeps connections open and takes new ones, but nothing gets through any more, as with a dead network. */
  freeze(): void;
  /** Ends `cut` and `freeze`; connections that were frozen stay dead. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
}

export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const pairs = new Set<Pair>();
  let isFrozen = false;
  const server = createServer((client) => {
    const upstream = connectTo(Number(target.port), target.hostname);
    const pair = { client, upstream };
    pairs.add(pair);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        client.destroy();
        upstream.destroy();
      });
    }
    if (isFrozen) return;
    client.pipe(upstream);
    upstream.pipe(client);
  });
  const port = await listen(server, 0);
  const url = new URL(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  const breakAll = (): void => {
    for (const { client } of pairs) client.destroy();
  };
  const stopListening = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      breakAll();
    });
  return {
    url: url.href,
    cut: stopListening,
    freeze: () => {
      isFrozen = true;
      for (const { client, upstream } of pairs) {
        client.unpipe(upstream);
        upstream.unpipe(client);
        client.resume();
        upstream.resume();
      }
    },
    restore: async () => {
      isFrozen = false;
      if (!server.listening) await listen(server, port);
    },
    close: stopListening,
  };
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return address.port;
}
