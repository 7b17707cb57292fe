import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Access, AuthBindingId, NewTask } from '@longshore/core';
import { createLogger } from '@longshore/runtime';
import { waitFor } from '@longshore/testing';
import express from 'express';
import { ArgumentValidator } from '../../src/catalogue/argument-validator.ts';
import { errorHandler } from '../../src/edge/error-handler.ts';
import { KeepAlive } from '../../src/edge/keep-alive.ts';
import { limitsOver } from '../../src/edge/limits/limits-of.ts';
import { RequestRates } from '../../src/edge/limits/request-rates.ts';
import { startRequestLog } from '../../src/edge/request-log.ts';
import { StreamLimit } from '../../src/edge/stream-limit.ts';
import type { ModernContext } from '../../src/modern/modern-context.ts';
import { ModernEndpoint } from '../../src/modern/modern-endpoint.ts';
import { RequestStateCodec } from '../../src/modern/request-state.ts';
import { WatchHub } from '../../src/watch/watch-hub.ts';
import { FakeBus, tool } from '../catalogue/support/fakes.ts';
import { NO_TRAIL } from '../support/silent-trail.ts';
import { FakeRows } from '../watch/fake-rows.ts';

const log = createLogger('silent', {});
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** What a server says when it can not serve: over real HTTP, with rows in memory. */
describe('the modern endpoint', () => {
  let rows: FakeRows;
  let submitted: NewTask['id'][];
  let endpoint: ModernEndpoint;
  let server: Server;

  beforeEach(async () => {
    rows = new FakeRows();
    submitted = [];
    const bus = new FakeBus();
    const context = {
      server: { name: 'longshore', version: '1', instructions: '' },
      settings: { defaultTtlMs: 60_000, pollIntervalMs: 500 },
      limitsOf: limitsOver({
        requestsPerMinute: 0,
        concurrentTasks: 0,
        queuedTasks: 0,
        argumentBytes: 1_000,
        maxTtlMs: 60_000,
        openStreams: 10,
        sessions: 5,
        schedules: 3,
      }),
      rates: new RequestRates({ counts: { add: () => Promise.resolve(new Map()) }, log }),
      pauseNote: () => null,
      tasks: rows.store,
      inputs: rows.inputs,
      bus,
      jobs: { remove: () => Promise.resolve() },
      catalogue: { tools: { find: (name: string) => tool(name) } },
      jobTools: { find: () => null, serves: () => false },
      validator: new ArgumentValidator(),
      submitter: {
        submit: ({ id }: NewTask) => {
          rows.add({ id, listed: false });
          submitted.push(id);
          return Promise.resolve({ kind: 'created', createdAt: new Date() });
        },
      },
      watch: new WatchHub({ tasks: rows.store, inputs: rows.inputs, bus, log }),
      taskNameHeader: 'optional',
      requestStates: new RequestStateCodec({ key: 'k'.repeat(32) }),
      held: new StreamLimit(),
    } as unknown as ModernContext;
    endpoint = new ModernEndpoint({ context, keepAlive: new KeepAlive(60_000), drainMs: 0 });
    const access: Access = {
      identity: { principalId: rows.owner, authBindingId: 'b' as AuthBindingId },
      sessionIdentity: null,
      scopes: null,
      limits: {},
    };
    await endpoint.start();
    const app = express();
    app.use(express.json(), (request, response, next) => {
      startRequestLog(log, NO_TRAIL, request, response);
      response.locals.era = 'modern';
      endpoint.post(request, response, access).catch(next);
    });
    app.use(errorHandler(() => null));
    server = app.listen(0, '127.0.0.1');
    await waitFor(() => server.listening, { what: 'it listens' });
  });
  afterEach(async () => {
    await endpoint.stop();
    server.closeAllConnections();
    server.close();
  });

  const post = (method: string, params: { name?: string; taskId?: string }, capabilities = {}) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': params.name ?? params.taskId ?? '',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 'r-1',
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': capabilities,
          },
        },
      }),
    });
  const unavailable = async (response: Response, code: string) => {
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: 'r-1',
      error: { code: -32603, data: { code, retryable: true } },
    });
  };

  it('says when to come again while Postgres is away', async () => {
    const id = rows.add();
    rows.isAway = true;
    await unavailable(await post('tasks/get', { taskId: id }, TASKS), 'DATABASE_UNAVAILABLE');
    rows.isAway = false;
    expect((await post('tasks/get', { taskId: id }, TASKS)).status).toBe(200);
  });

  it('answers what has not become a stream when it stops, ends its row, and takes nothing more', async () => {
    const held = post('tools/call', { name: 'slow' });
    await waitFor(() => submitted.length > 0, { what: 'the call is held' });
    await endpoint.stop();
    await unavailable(await held, 'SHUTTING_DOWN');
    expect(rows.cancelled).toEqual(submitted);
    await unavailable(await post('tools/call', { name: 'slow' }), 'SHUTTING_DOWN');
    expect(submitted).toHaveLength(1);
  });

  it('does not show a call’s row as a task, whoever knows its id', async () => {
    const id = rows.add({ listed: false });
    const answer = await post('tasks/get', { taskId: id }, TASKS);
    expect(await answer.json()).toMatchObject({
      error: { code: -32602, message: 'Task not found' },
    });
  });
});
