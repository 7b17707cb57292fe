import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HttpEndpoint } from '../../src/wire/http-endpoint.ts';
import { WireError } from '../../src/wire/wire-error.ts';

let server: Server;

/** An endpoint whose requests are answered by the listeners in turn, the last one for good. */
async function endpoint(...listeners: readonly RequestListener[]) {
  let turn = 0;
  server = createServer((request, response) => {
    listeners[Math.min(turn, listeners.length - 1)]?.(request, response);
    turn += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const http = new HttpEndpoint(url, { 'x-mine': 'yes' });
  const signal = new AbortController().signal;
  return {
    send: () => http.send({ method: 'POST', headers: {}, body: '{}', signal }),
    turns: () => turn,
  };
}

afterEach(async () => {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
});

const reset: RequestListener = (request) => void request.socket.resetAndDestroy();
const busy: RequestListener = (_request, response) =>
  void response.writeHead(429, { 'retry-after': '0' }).end();
const echo: RequestListener = (request, response) =>
  void response.writeHead(200).end(String(request.headers['x-mine']));

describe('HttpEndpoint', () => {
  it('sends the headers of the user', async () => {
    const { send } = await endpoint(echo);
    expect(await (await send()).text()).toBe('yes');
  });

  it('sends again when the connection was closed under it', async () => {
    const { send, turns } = await endpoint(reset, echo);
    expect((await send()).status).toBe(200);
    expect(turns()).toBe(2);
  });

  it('gives up when it is closed every time', async () => {
    const { send } = await endpoint(reset);
    await expect(send()).rejects.toThrow(WireError);
  });

  it('comes back later to a server that has too much to do, a few times', async () => {
    const { send } = await endpoint(busy, busy, echo);
    expect((await send()).status).toBe(200);
  });

  it('takes 429 for the answer in the end', async () => {
    const { send, turns } = await endpoint(busy);
    expect((await send()).status).toBe(429);
    expect(turns()).toBe(4);
  });
});
