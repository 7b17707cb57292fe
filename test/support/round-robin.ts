import { once } from 'node:events';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A load balancer without any stickiness: each request goes to the next of several servers. */
export class RoundRobin {
  readonly #server: Server;
  /** How many requests each server got, in the order of `urls`. */
  readonly counts: number[];

  private constructor(urls: readonly string[]) {
    this.counts = urls.map(() => 0);
    let turn = 0;
    this.#server = createServer({ keepAliveTimeout: 65_000 }, (inbound, outbound) => {
      const index = turn % urls.length;
      turn += 1;
      this.counts[index] = (this.counts[index] ?? 0) + 1;
      const { method, headers } = inbound;
      const upstream = forward(urls[index] ?? '', { method, headers }, (answer) => {
        outbound.writeHead(answer.statusCode ?? 502, answer.headers);
        outbound.flushHeaders();
        answer.pipe(outbound);
      });
      upstream.on('error', () => outbound.destroy());
      outbound.on('close', () => upstream.destroy());
      inbound.pipe(upstream);
    });
  }

  /** @param urls of the same path on several servers */
  static async start(urls: readonly string[]): Promise<RoundRobin> {
    const balancer = new RoundRobin(urls);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
