import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { HttpServer } from '../../src/http/http-server.ts';
import { UnreadAnswers } from '../../src/http/unread-answers.ts';

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
  /** A client that has sent its request and reads nothing. */
  const ask = async (server: HttpServer): Promise<Socket> => {
    const client = connect(Number(new URL(server.url).port), '127.0.0.1');
    clients.push(client);
    client.on('error', () => {});
    client.pause();
    await once(client, 'connect');
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
