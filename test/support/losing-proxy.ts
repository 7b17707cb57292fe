import { once } from 'node:events';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes requests on, and loses the answer to the first call of a tool: the server has done what its client never hears of. */
export class LosingProxy {
  /** Answers that were lost. */
  lost = 0;
  readonly #server: Server;

  private constructor(url: string, mark: string) {
    this.#server = createServer((inbound, outbound) => {
      const chunks: Buffer[] = [];
      inbound.on('data', (chunk: Buffer) => chunks.push(chunk));
      inbound.on('end', () => {
        const body = Buffer.concat(chunks);
        const text = body.toString();
        const isLost = this.lost === 0 && text.includes('"tools/call"') && text.includes(mark);
        if (isLost) this.lost += 1;
        const { method, headers } = inbound;
        const upstream = forward(url, { method, headers }, (answer) => {
          if (isLost) {
            answer.resume().once('end', () => outbound.destroy());
            return;
          }
          outbound.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outbound);
        });
        upstream.on('error', () => outbound.destroy());
        upstream.end(body);
      });
    });
  }

  /** @param mark what the call has in it whose answer is lost */
  static async start(url: string, mark: string): Promise<LosingProxy> {
    const proxy = new LosingProxy(url, mark);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
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
