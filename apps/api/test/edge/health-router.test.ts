import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { createLogger } from '@longshore/runtime';
import express from 'express';
import { healthRouter } from '../../src/edge/health-router.ts';
import { startRequestLog } from '../../src/edge/request-log.ts';
import { NO_TRAIL } from '../support/silent-trail.ts';

const ASKED = 200;

let server: Server | null = null;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

it('asks Postgres once for all who ask whether it is ready, and again for those who ask later', async () => {
  let now = 0;
  let probes = 0;
  let isAway = false;
  let reply = (): void => {};
  const held = new Promise<void>((resolve) => {
    reply = resolve;
  });
  const log = createLogger('silent', {});
  const app = express();
  app.use((request, response, next) => {
    startRequestLog(log, NO_TRAIL, request, response);
    next();
  });
  let asked = 0;
  app.use((_request, _response, next) => {
    asked += 1;
    if (asked === ASKED) reply();
    next();
  });
  app.use(
    healthRouter({
      workers: async () => {
        probes += 1;
        await held;
        if (isAway) throw new Error('away');
        return 2;
      },
      accepting: () => true,
      now: () => now,
    }),
  );
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;

  const statuses = await Promise.all(Array.from({ length: ASKED }, ask));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(probes).toBe(1);
  isAway = true;
  now += 10_000;
  expect(new Set(await Promise.all(Array.from({ length: ASKED }, ask)))).toEqual(new Set([503]));
  expect(probes).toBe(2);
  isAway = false;
  now += 10_000;
  expect(await ask()).toBe(200);
});
