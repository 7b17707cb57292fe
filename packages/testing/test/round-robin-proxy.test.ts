import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { type RoundRobinProxy, startRoundRobinProxy } from '@longshore/testing/network';

const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function proxyTo(...urls: readonly string[]): Promise<RoundRobinProxy> {
  const proxy = await startRoundRobinProxy(urls);
  stops.push(() => void proxy.close());
  return proxy;
}

async function server(name: string, closed: string[] = []): Promise<string> {
  const http = createServer((request, response) => {
    response.once('close', () => closed.push(name));
    if (request.url === '/stream') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(`data: ${name}\n\n`);
      return;
    }
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => response.end(`${name} ${request.method} ${Buffer.concat(parts)}`));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

it('sends each request to the next server, with its method and body', async () => {
  const proxy = await proxyTo(await server('a'), await server('b'));
  const answers = [];
  for (const body of ['1', '2', '3', '4']) {
    const response = await fetch(proxy.url, { method: 'POST', body });
    answers.push(await response.text());
  }
  expect(answers).toEqual(['a POST 1', 'b POST 2', 'a POST 3', 'b POST 4']);
  expect(proxy.counts).toEqual([2, 2]);
});

it('passes an event stream on as it comes, and tells the server when the client left', async () => {
  const closed: string[] = [];
  const proxy = await proxyTo(await server('a', closed));
  const response = await fetch(new URL('/stream', proxy.url));
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(new TextDecoder().decode(first?.value)).toBe('data: a\n\n');
  expect(closed).toEqual([]);
  await reader?.cancel();
  await waitFor(() => closed.length === 1, { what: 'the server saw the client leave' });
});

it('answers 502 for a server that is not there, and goes on with the others', async () => {
  const proxy = await proxyTo('http://127.0.0.1:1/mcp', await server('b'));
  expect((await fetch(proxy.url)).status).toBe(502);
  expect((await fetch(proxy.url)).status).toBe(200);
});
