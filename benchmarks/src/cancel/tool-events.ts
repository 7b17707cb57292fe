import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

const TIMEOUT_MS = 60_000;

/** What the tools of waiting-plugin.ts say. */
export interface ToolEvents {
  readonly port: number;
  /** Nanoseconds of the machine's monotonic clock at which it happened. */
  at(what: 'started' | 'stopped', key: number): Promise<bigint>;
  close(): void;
}

export async function listenForToolEvents(): Promise<ToolEvents> {
  const heard = new Map<string, bigint>();
  const awaited = new Map<string, (at: bigint) => void>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    createInterface({ input: socket }).on('line', (line) => {
      const [what = '', key = '', at = ''] = line.split(' ');
      const name = `${what} ${key}`;
      heard.set(name, BigInt(at));
      awaited.get(name)?.(BigInt(at));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    at: (what, key) =>
      new Promise((resolve, reject) => {
        const name = `${what} ${key}`;
        const known = heard.get(name);
        if (known !== undefined) return resolve(known);
        const timer = setTimeout(() => reject(new Error(`never ${name}`)), TIMEOUT_MS);
        awaited.set(name, (at) => {
          clearTimeout(timer);
          resolve(at);
        });
      }),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
