import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * A way of TCP connections that can go bad: who connects to `port` reaches the target of the moment. Its port
 * stays the same while the server behind it moves to another one.
 */
export interface TcpLink {
  readonly port: number;
  /** Where new connections go; null: nobody is there, they are refused as soon as they are made. */
  setTarget(port: number | null): void;
  /** Nothing gets through in either direction until `resume`; new connections are taken and hang as well. */
  stall(): void;
  resume(): void;
  /** Breaks all connections, as a middlebox does that has forgotten them: with a TCP reset. */
  reset(): void;
  /** Each piece of data is handed on this much later; 0: at once. */
  delay(ms: number): void;
  /** Connections that are open now. */
  readonly open: number;
  close(): Promise<void>;
}

/** What one side said and the other side has not got yet, in order. */
interface Lane {
  readonly from: Socket;
  readonly to: Socket;
}

export async function openTcpLink(): Promise<TcpLink> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let target: number | null = null;
  let stalled: Promise<void> | null = null;
  let endStall = (): void => {};
  let delayMs = 0;

  const carry = async ({ from, to }: Lane): Promise<void> => {
    // Reading by hand: a stalled lane reads nothing, so that its sender feels the pressure.
    const source: Readable = from;
    for await (const chunk of source) {
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
      while (stalled !== null) await stalled;
      if (to.destroyed) return;
      if (!to.write(chunk)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
    }
    while (stalled !== null) await stalled;
    to.end();
  };

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (target === null) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
    }
    client.once('close', () => {
      pairs.delete(pair);
      upstream.destroy();
    });
    upstream.once('close', () => {
      pairs.delete(pair);
      // A server that went away without a word is told as it was heard: abruptly.
      if (!client.destroyed) client.destroy();
    });
    carry({ from: client, to: upstream }).catch(() => upstream.destroy());
    carry({ from: upstream, to: client }).catch(() => client.destroy());
  });
  const port = await listen(server);

  const reset = (): void => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy();
      upstream.resetAndDestroy();
    }
  };
  const resume = (): void => {
    stalled = null;
    endStall();
  };
  return {
    port,
    setTarget: (to) => {
      target = to;
    },
    stall: () => {
      if (stalled !== null) return;
      stalled = new Promise((resolve) => {
        endStall = resolve;
      });
    },
    resume,
    reset,
    delay: (ms) => {
      delayMs = ms;
    },
    get open() {
      return pairs.size;
    },
    close: async () => {
      resume();
      const closed = once(server, 'close');
      server.close();
      reset();
      await closed;
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return address.port;
}
