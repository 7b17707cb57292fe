import { connect, type Socket } from 'node:net';

/** Connections that send one request each, take the beginning of the answer, and read no further. */
export class IdleSockets {
  readonly #port: number;
  readonly #sockets: Socket[] = [];

  constructor(url: string) {
    this.#port = Number(new URL(url).port);
  }

  /** @returns the beginning of the answer */
  open(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#port, '127.0.0.1', () => socket.write(request));
      this.#sockets.push(socket);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('closed without an answer')));
      socket.once('data', (data) => {
        socket.pause();
        resolve(data.toString('latin1'));
      });
    });
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }
}

/** A request as it goes over the wire. */
export function httpRequest(
  method: 'GET' | 'POST',
  headers: Readonly<Record<string, string>>,
  body: object | null = null,
): string {
  const text = body === null ? '' : JSON.stringify(body);
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  if (body !== null) lines.push(`Content-Length: ${Buffer.byteLength(text)}`);
  return `${method} /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
}
