import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Access, BusMessage, EventBus } from '@longshore/core';
import { createLogger } from '@longshore/runtime';
import { waitFor } from '@longshore/testing';
import { type AppOptions, createApp } from '../../src/app.ts';
import { KeepAlive } from '../../src/edge/keep-alive.ts';
import { limitsOver } from '../../src/edge/limits/limits-of.ts';
import { RequestRates } from '../../src/edge/limits/request-rates.ts';
import { StreamLimit } from '../../src/edge/stream-limit.ts';
import { LegacyEndpoint } from '../../src/legacy/legacy-endpoint.ts';
import { SseEndpoint } from '../../src/legacy/sse/sse-endpoint.ts';
import type { ApiContext } from '../../src/methods/api-context.ts';
import { SessionRegistry } from '../../src/sessions/session-registry.ts';
import { WatchHub } from '../../src/watch/watch-hub.ts';
import { FakeBus, FakeSessionStore } from '../catalogue/support/fakes.ts';
import { NO_TRAIL } from '../support/silent-trail.ts';
import { FakeRows } from '../watch/fake-rows.ts';

const log = createLogger('silent', {});

/** Counts the streams that it is told of, and of which nobody has said that they are over. */
class WatchedBus extends FakeBus {
  readonly openTurns = new Set<string>();

  override publish(topic: string, message: BusMessage): Promise<void> {
    if (message.kind === 'stream-open') this.openTurns.add(message.stream);
    if (message.kind === 'stream-close') this.openTurns.delete(message.stream);
    return super.publish(topic, message);
  }
}

/** Counts what wants signs of life. */
class WatchedKeepAlive extends KeepAlive {
  readonly #streams = new Set<object>();

  get kept(): number {
    return this.#streams.size;
  }

  override add(stream: { beat(): void }): void {
    this.#streams.add(stream);
  }

  override delete(stream: { beat(): void }): void {
    this.#streams.delete(stream);
  }
}

/** Clients that are gone at whatever the server waits for before a stream of theirs is open: over real HTTP. */
describe('a client that leaves before its stream is open', () => {
  let bus: WatchedBus;
  let keepAlive: WatchedKeepAlive;
  let sessions: SessionRegistry;
  let sessionId: string;
  let server: Server;
  /** Of requests that are not over. */
  let responses: Set<ServerResponse>;
  /** What the server has waited for since the last request, and what is done at one of them. */
  let waits = 0;
  let leave: { readonly at: number; readonly now: () => Promise<unknown> } | null = null;

  /** The same object, whose calls that are waited for the client may not live to see. */
  const watched = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (_target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...parameters: unknown[]): unknown => {
          const result: unknown = Reflect.apply(value, target, parameters);
          if (!(result instanceof Promise)) return result;
          waits += 1;
          const leaving = leave;
          return leaving?.at === waits ? leaving.now().then(() => result) : result;
        };
      },
    });

  beforeEach(async () => {
    bus = new WatchedBus();
    keepAlive = new WatchedKeepAlive(60_000);
    responses = new Set();
    leave = null;
    const store = new FakeSessionStore();
    const rows = new FakeRows();
    const session = store.add();
    sessionId = session.id;
    sessions = new SessionRegistry({ store: watched(store), bus, log });
    await sessions.start();
    const limits = {
      ...{ requestsPerMinute: 0, concurrentTasks: 0, queuedTasks: 0, argumentBytes: 1_000 },
      ...{ maxTtlMs: 60_000, openStreams: 1, sessions: 3, schedules: 3 },
    };
    const access: Access = {
      identity: { principalId: session.principalId, authBindingId: session.authBindingId },
      sessionIdentity: { principalId: session.principalId, authBindingId: session.authBindingId },
      scopes: null,
      limits: {},
    };
    const context = {
      server: { name: 'longshore', version: '1', instructions: '' },
      settings: { pollIntervalMs: 500 },
      limitsOf: limitsOver(limits),
      rates: new RequestRates({ counts: { add: () => Promise.resolve(new Map()) }, log }),
      held: new StreamLimit(),
      tasks: watched({ changedSince: () => Promise.resolve([]) }),
      inputs: { store: watched({ unlease: () => Promise.resolve() }) },
      bus: watched<EventBus>(bus),
      watch: new WatchHub({
        ...{ tasks: rows.store, inputs: rows.inputs },
        ...{ bus: watched<EventBus>(bus), log },
      }),
      sessions,
      broadcasts: { forSession: () => ({ subscribe: () => () => {} }) },
    } as unknown as ApiContext;
    const legacy = new LegacyEndpoint({ context, keepAlive, maxStreamMs: null });
    const sse = new SseEndpoint({ context, server: legacy.server, keepAlive, drainMs: 0 });
    const app = createApp({
      legacy,
      sse,
      context,
      authenticator: watched({ authenticate: () => Promise.resolve(access) }),
      challenge: () => null,
      openResponses: null,
      resource: null,
      allowedHosts: ['127.0.0.1'],
      allowedOrigins: [],
      corsOrigins: null,
      audit: NO_TRAIL,
      operators: { to: () => (_request: unknown, _response: unknown, next: () => void) => next() },
      health: { database: () => Promise.resolve(), accepting: () => true },
      metricsToken: null,
      maxBodyBytes: 1_000,
      log,
    } as unknown as AppOptions);
    server = createServer((request, response) => {
      responses.add(response);
      response.once('close', () => responses.delete(response));
      app(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** @returns status of the answer; null: the client left before there was one */
  const get = async (path: string, leaveAt: number | null): Promise<number | null> => {
    waits = 0;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let leaving: Promise<unknown> | null = null;
    const gone = (): Promise<unknown> => {
      socket.resetAndDestroy();
      leaving ??= waitFor(() => responses.size === 0, { what: 'the server has noticed' });
      return leaving;
    };
    leave = leaveAt === null ? null : { at: leaveAt, now: gone };
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nMcp-Session-Id: ${sessionId}\r\n` +
        `${path === '/mcp?again' ? `Last-Event-ID: s.1..${randomUUID()}-1\r\n` : ''}\r\n`,
    );
    const answer = new Promise<number | null>((resolve) => {
      socket.once('data', (data) => resolve(Number(data.toString().split(' ')[1])));
      socket.once('close', () => resolve(null));
      socket.on('error', () => {});
    });
    const status = await answer;
    // A stream goes on after its first bytes: nothing here waits for more than a turn of the loop.
    for (let turns = 0; turns < 3; turns += 1) await turn();
    await gone();
    for (let turns = 0; turns < 3; turns += 1) await turn();
    leave = null;
    return status;
  };

  it.each([
    ['GET of a session', '/mcp', 5],
    ['GET that goes on', '/mcp?again', 7],
    ['stream of 2024-11-05', '/sse', 1],
  ])('gives back what a %s took, whatever it leaves at', async (_what, path, least) => {
    const before = bus.listeners;
    const all = await get(path, null).then((status) => {
      expect(status).toBe(200);
      return waits;
    });
    // It is worth the name: identity, session, subscription, tasks, turn; and for one that goes on, its questions.
    expect(all).toBeGreaterThanOrEqual(least);
    for (let at = 1; at <= all; at += 1) {
      // The session is looked up anew.
      bus.resync();
      await get(path, at);
      const left = { listeners: bus.listeners, turns: bus.openTurns.size, kept: keepAlive.kept };
      expect({ at, ...left }).toEqual({ at, listeners: before, turns: 0, kept: 0 });
      expect({ at, next: await get(path, null) }).toEqual({ at, next: 200 });
    }
  });
});
