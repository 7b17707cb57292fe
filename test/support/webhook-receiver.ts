import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message, as it came. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The message, parsed. */
  readonly message: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

/** A real server that gets webhooks. */
export interface WebhookReceiver {
  /** name:port */
  readonly host: string;
  readonly url: string;
  /** All of a path, in order. */
  at(path: string): Received[];
  /**
   * Answers the next requests of a path with these statuses, the last one from then on; `null` never answers, a text redirects
   * there with 307. 200 unless said.
   */
  answer(path: string, ...answers: (number | string | null)[]): void;
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const answers = new Map<string, (number | string | null)[]>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      received.push({ path, headers: request.headers, text, message: JSON.parse(text) });
      const mine = answers.get(path) ?? [200];
      answerWith(response, (mine.length > 1 ? mine.shift() : mine[0]) ?? null);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    at: (path) => received.filter((one) => one.path === path),
    answer: (path, ...given) => void answers.set(path, given),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answerWith(response: ServerResponse, answer: number | string | null): void {
  if (answer === null) return;
  if (typeof answer === 'string') response.writeHead(307, { location: answer }).end();
  else response.writeHead(answer).end(`status ${answer}`);
}
