import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NetworkGrant } from '@longshore/plugin';

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A web site on a port of its own, which remembers what it was asked. */
export interface Site {
  readonly port: number;
  /** `127.0.0.1:port`, as a grant names it. */
  readonly host: string;
  readonly origin: string;
  /** Paths in the order they were asked for. */
  readonly asked: readonly string[];
  readonly userAgents: ReadonlySet<string>;
  /** How often a path was asked for. */
  count(path: string): number;
  /** Answers a path; what has no answer is 404. */
  on(path: string, answer: Answer | string): void;
  forget(): void;
  close(): Promise<void>;
}

/** As an operator would grant it, with all of the web. */
export function grantFor({ host }: Site): NetworkGrant {
  return {
    hosts: ['*'],
    privateHosts: [host],
    userAgent: 'harbourbot/1.0 (+mailto:ops@example.com)',
  };
}

export async function startSite(address = '127.0.0.1'): Promise<Site> {
  const answers = new Map<string, Answer | string>();
  const asked: string[] = [];
  const userAgents = new Set<string>();
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    userAgents.add(request.headers['user-agent'] ?? '');
    const answer = answers.get(path);
    if (answer === undefined) response.writeHead(404).end('no such page');
    else if (typeof answer === 'function') answer(response, request);
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(answer);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return {
    port,
    host,
    origin: `http://${host}`,
    asked,
    userAgents,
    count: (path) => asked.filter((one) => one === path).length,
    on: (path, answer) => {
      answers.set(path, answer);
    },
    forget: () => {
      asked.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function redirect(location: string, status = 302): Answer {
  return (response) => response.writeHead(status, { location }).end();
}

export function bytes(body: Uint8Array | string, headers: Record<string, string>): Answer {
  return (response) => response.writeHead(200, headers).end(body);
}

/** A page with an article, navigation and a footer around it. */
export function article(title: string, paragraphs: readonly string[]): string {
  return `<!doctype html><html lang="en"><head><title>${title} - The Harbour</title>
<meta name="author" content="Ann Keel"><style>p { color: red }</style><script>track()</script></head>
<body><nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul></nav>
<main><article><h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</article></main>
<footer>Imprint and cookies</footer></body></html>`;
}

export const PARAGRAPHS = [
  'The container ship reached the quay before dawn, when the cranes were still dark and the tide, which is high here twice a day, stood at its turn.',
  'Two hundred boxes were unloaded by noon, and the foreman, who had counted them himself, said that none of them had been dropped or lost on the way.',
  'Toward evening the wind changed, the pilots went home, and the lights along the breakwater came on, one after the other, as they do every night.',
];
