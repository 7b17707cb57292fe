import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Access, LongshoreError, type PrincipalId } from '@longshore/core';
import { createLogger } from '@longshore/runtime';
import { waitFor } from '@longshore/testing';
import express, { type ErrorRequestHandler } from 'express';
import {
  DOWNLOAD_PATHS,
  type DownloadOptions,
  downloadEndpoint,
} from '../../src/contents/download-endpoint.ts';
import type { TaskContent } from '../../src/contents/task-content.ts';
import { errorHandler } from '../../src/edge/error-handler.ts';
import { HostGuard } from '../../src/edge/host-guard.ts';
import { limitsOver } from '../../src/edge/limits/limits-of.ts';
import { RequestRates } from '../../src/edge/limits/request-rates.ts';
import { startRequestLog } from '../../src/edge/request-log.ts';
import { StreamLimit } from '../../src/edge/stream-limit.ts';
import { NO_TRAIL } from '../support/silent-trail.ts';

const log = createLogger('silent', {});
const ID = '0f0e0d0c-0b0a-4908-8706-050403020100';

/** Downloads over real HTTP, of contents that are made up. */
describe('a download', () => {
  let content: TaskContent;
  let server: Server;
  const errors: unknown[] = [];

  beforeEach(async () => {
    errors.length = 0;
    const access = {
      identity: { principalId: 'p' as PrincipalId, authBindingId: 'b' },
      sessionIdentity: null,
      scopes: null,
      limits: {},
    } as unknown as Access;
    const options = {
      guard: new HostGuard({ allowedHosts: ['127.0.0.1'], allowedOrigins: [], corsOrigins: null }),
      authenticator: { authenticate: () => Promise.resolve(access) },
      openResponses: null,
      context: {
        contents: { find: () => Promise.resolve(content) },
        rates: new RequestRates({ counts: { add: () => Promise.resolve(new Map()) }, log }),
        held: new StreamLimit(),
        limitsOf: limitsOver({
          requestsPerMinute: 0,
          concurrentTasks: 0,
          queuedTasks: 0,
          argumentBytes: 1_000,
          maxTtlMs: 60_000,
          openStreams: 1,
          sessions: 5,
          schedules: 3,
        }),
      },
    } as unknown as DownloadOptions;
    const app = express();
    app.disable('etag');
    app.use((request, response, next) => {
      startRequestLog(log, NO_TRAIL, request, response);
      next();
    });
    app.all(DOWNLOAD_PATHS, downloadEndpoint(options));
    const answer = errorHandler(() => null);
    const noteErrors: ErrorRequestHandler = (error, request, response, next) => {
      errors.push(error);
      return answer(error, request, response, next);
    };
    app.use(noteErrors);
    server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const get = (init: RequestInit = {}) => {
    const { port } = server.address() as AddressInfo;
    return fetch(`http://127.0.0.1:${port}/tasks/${ID}/result`, init);
  };
  const made = (read: TaskContent['read']): TaskContent => ({
    name: 'a.csv',
    mimeType: 'text/csv',
    size: 10,
    version: 'v1',
    measure: () => Promise.resolve(10),
    read,
  });
  const away = new LongshoreError('FILE_STORE_UNAVAILABLE', 'the store is away');

  it.each([
    ['whole', {}],
    ['in part', { range: 'bytes=2-5' }],
  ])(
    'that can not be read, %s, is answered with an error that is described as one',
    async (_what, headers) => {
      content = made(async function* () {
        yield* [] as Uint8Array[];
        throw away;
      });
      const response = await get({ headers });
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ error: { message: 'the store is away' } });
      const sent = Object.fromEntries(response.headers);
      expect(sent['content-type']).toMatch(/^application\/json/);
      for (const name of ['content-disposition', 'content-range', 'etag', 'accept-ranges']) {
        expect([name, sent[name]]).toEqual([name, undefined]);
      }
    },
  );

  it('that its client leaves before the first byte is no error, and gives its place back', async () => {
    let reading = false;
    content = made(async function* (_range, signal) {
      yield* [] as Uint8Array[];
      reading = true;
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(away));
      });
    });
    const leaving = new AbortController();
    const left = get({ signal: leaving.signal }).catch(() => 'left');
    await waitFor(() => reading, { what: 'it is being read' });
    leaving.abort();
    expect(await left).toBe('left');
    content = made(async function* () {
      yield Buffer.from('0123456789');
    });
    // There is place for one download.
    await waitFor(async () => (await get()).status === 200, { what: 'the place is free' });
    expect(errors.filter((error) => error === away)).toEqual([]);
  });

  it('is read no faster than its client takes it, and no further when that leaves', async () => {
    let read = 0;
    let isOver = false;
    content = {
      ...made(async function* () {
        try {
          for (;;) {
            read += 1;
            yield Buffer.alloc(65_536);
          }
        } finally {
          isOver = true;
        }
      }),
      size: null,
      version: null,
    };
    const leaving = new AbortController();
    const response = await get({ signal: leaving.signal });
    for (const name of ['etag', 'accept-ranges', 'content-length']) {
      expect([name, response.headers.get(name)]).toEqual([name, null]);
    }
    const reader = response.body?.getReader();
    for (let taken = 0; taken < 10_000_000; ) taken += (await reader?.read())?.value?.length ?? 0;
    leaving.abort();
    await waitFor(() => isOver, { what: 'nothing is read any more' });
    // What was taken, and what sockets hold.
    expect(read).toBeLessThan(1_000);
  });
});
