import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { HttpServer } from '../../src/edge/http-server.ts';
import { UnreadAnswers } from '../../src/edge/unread-answers.ts';

/** More than the buffers of both ends of a connection hold. */
const LARGE_BYTES = 32 * 1_048_576;
const STALLED_MS = 200;
/** What a slow reader takes every 50 ms: over two seconds for all. */
const SIP_BYTES = 786_432;

describe('an HTTP server', () => {
  const servers: HttpServer[] = [];
  const clients: Socket[] = [];

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  const start = async (
    handler: RequestListener,
    { unread = new UnreadAnswers({ log: silentLogger }), stalledReaderMs = STALLED_MS } = {},
  ): Promise<HttpServer> => {
    const server = new HttpServer({ handler, host: '127.0.0.1', port: 0, stalledReaderMs, unread });
    servers.push(server);
    await server.start();
    return server;
  };
  /** A client that reads nothing yet. */
  const open = async (server: HttpServer): Promise<Socket> => {
    const client = connect(Number(new URL(server.url).port), '127.0.0.1');
    clients.push(client);
    client.on('error', () => {});
    client.pause();
    await once(client, 'connect');
    return client;
  };
  const ask = async (server: HttpServer): Promise<Socket> => {
    const client = await open(server);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    return client;
  };

  it('cuts a client that takes nothing of its answer, also when the answer has ended', async () => {
    let isClosed = false;
    const server = await start((_request, response) => {
      response.once('close', () => (isClosed = true));
      response.end(Buffer.alloc(LARGE_BYTES));
    });
    const client = await ask(server);
    await waitFor(() => isClosed, { what: 'it is cut' });
    expect(client.bytesRead).toBeLessThan(LARGE_BYTES);
  });

  it('lets a client read as slowly as it likes, as long as it reads', async () => {
    const stalledReaderMs = 1_000;
    const server = await start((_request, response) => response.end(Buffer.alloc(LARGE_BYTES)), {
      stalledReaderMs,
    });
    const client = await ask(server);
    let bytes = 0;
    let sip = 0;
    client.on('data', (data) => {
      bytes += data.length;
      sip += data.length;
      if (sip >= SIP_BYTES) client.pause();
    });
    const startedAt = performance.now();
    const sips = setInterval(() => {
      sip = 0;
      client.resume();
    }, 50);
    await waitFor(() => bytes > LARGE_BYTES || client.destroyed, { what: 'all of it has come' });
    clearInterval(sips);
    expect(client.destroyed).toBe(false);
    expect(performance.now() - startedAt).toBeGreaterThan(stalledReaderMs);
  });

  it('does not cut a client whose answer takes time', async () => {
    let held: ServerResponse | null = null;
    const server = await start((_request, response) => {
      held = response;
      // Later than the time-out by which somebody who waits might be taken for somebody who does not read.
      response.on('timeout', () => setImmediate(() => response.end('late')));
    });
    const client = await ask(server);
    const [answer] = (await once(client.resume(), 'data')) as [Buffer];
    expect(answer.toString()).toContain('late');
    expect(held).not.toBeNull();
  });

  it('does not cut a client whose request takes time', async () => {
    let isOver = false;
    const server = await start((request, response) => {
      if (request.url === '/late') response.end('in time');
      else response.on('timeout', () => (isOver = true));
    });
    const late = await open(server);
    await ask(server);
    await waitFor(() => isOver, { what: 'one that came after it has waited too long' });
    late.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = (await once(late.resume(), 'data')) as [Buffer];
    expect(answer.toString()).toContain('in time');
  });

  describe('of requests that are sent without waiting for answers', () => {
    const REQUESTS = 8_000;
    const BODY = 'x'.repeat(500);
    const request = (index: number): string =>
      `POST /${index} HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
    const ALL = Buffer.from(
      Array.from({ length: REQUESTS }, (_, index) => request(index)).join(''),
    );
    let begun: number;
    let mostAtOnce: number;
    let connection: Socket | null;

    /** Reads the body of each request, and answers a turn of the loop later. */
    const startEcho = (answerBytes: number): Promise<HttpServer> => {
      [begun, mostAtOnce, connection] = [0, 0, null];
      let underWay = 0;
      const padding = Buffer.alloc(answerBytes);
      const answer = async (...[incoming, response]: Parameters<RequestListener>) => {
        connection = incoming.socket;
        begun += 1;
        underWay += 1;
        mostAtOnce = Math.max(mostAtOnce, underWay);
        response.once('finish', () => (underWay -= 1));
        let bytes = 0;
        for await (const part of incoming) bytes += (part as Buffer).length;
        await new Promise((resolve) => setImmediate(resolve));
        response.write(`<${incoming.url} ${bytes}>`);
        response.end(padding);
      };
      return start((incoming, response) => void answer(incoming, response), {
        stalledReaderMs: 60_000,
      });
    };
    const send = async (server: HttpServer): Promise<Socket> => {
      const client = await open(server);
      client.write(ALL);
      return client;
    };

    it('begins one at a time, and answers all of them in their order', async () => {
      const client = await send(await startEcho(0));
      let text = '';
      client.on('data', (data) => (text += data.toString('latin1'))).resume();
      await waitFor(() => text.includes(`</${REQUESTS - 1} `), { what: 'the last answer' });
      const answered = [...text.matchAll(/<\/(\d+) (\d+)>/g)].map(([, index]) => Number(index));
      expect(answered).toEqual(Array.from({ length: REQUESTS }, (_, index) => index));
      expect(new Set(text.match(/ 500>/g)).size).toBe(1);
      expect(mostAtOnce).toBe(1);
    });

    it('reads no more than a little of them while the client takes no answer', async () => {
      const client = await send(await startEcho(LARGE_BYTES));
      await waitFor(() => begun === 1 && (connection?.writableLength ?? 0) > 0, {
        what: 'the first answer waits',
      });
      // All that the server would read by itself it has read in as many turns as there are requests.
      for (let turn = 0; turn < REQUESTS; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(begun).toBe(1);
      expect(connection?.bytesRead).toBeLessThan(ALL.length / 10);
      client.destroy();
      await waitFor(() => connection?.destroyed, {
        what: 'it is noticed that the client has left',
      });
      expect(begun).toBe(1);
    });
  });

  it('cuts those with the most when too much waits for all of them together', async () => {
    const unread = new UnreadAnswers({ log: silentLogger, maxBytes: LARGE_BYTES });
    const sizes = [2 * LARGE_BYTES, LARGE_BYTES / 2, LARGE_BYTES];
    const cut: number[] = [];
    let begun = 0;
    const server = await start(
      (_request, response) => {
        const size = sizes[begun] ?? 0;
        begun += 1;
        response.once('close', () => cut.push(size));
        response.end(Buffer.alloc(size));
      },
      { unread, stalledReaderMs: 60_000 },
    );
    expect(unread.runOnce()).toBe(0);
    for (const [index] of sizes.entries()) {
      await ask(server);
      await waitFor(() => begun === index + 1, { what: 'the answer waits' });
    }
    const cuts = unread.runOnce();
    await waitFor(() => cut.length === cuts, { what: 'they are cut' });
    // The largest is enough, or it and the next: that depends on what the kernel holds of them.
    expect(new Set(cut)).toEqual(new Set([2 * LARGE_BYTES, LARGE_BYTES].slice(0, cuts)));
    expect(cuts).toBeGreaterThan(0);
    expect(unread.runOnce()).toBe(0);
  });
});
