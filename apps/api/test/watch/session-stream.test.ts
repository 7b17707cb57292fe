import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type LoggedMessage,
  LongshoreError,
  NO_ABILITIES,
  type SessionId,
  sessionTopic,
  silentLogger,
  type Task,
  type TaskId,
} from '@longshore/core';
import type { JsonRpcNotification, ServerMessage } from '@longshore/protocol';
import { waitFor } from '@longshore/testing';
import { SessionStream } from '../../src/watch/session-stream.ts';
import type { CarrierContext } from '../../src/watch/task-carrier.ts';
import { WatchHub } from '../../src/watch/watch-hub.ts';
import { FakeBus, FakeSessionStore } from '../catalogue/support/fakes.ts';
import { FakeRows } from './fake-rows.ts';

describe('a session’s stream', () => {
  let rows: FakeRows;
  let bus: FakeBus;
  let ids: TaskId[];
  let logs: Map<TaskId, LoggedMessage[]>;
  let broadcast: (message: JsonRpcNotification) => void;
  const streams: SessionStream[] = [];
  const session = { ...new FakeSessionStore().add(), id: randomUUID() as string as SessionId };

  beforeEach(() => {
    rows = new FakeRows();
    bus = new FakeBus();
    ids = [];
    logs = new Map();
    broadcast = () => {};
  });
  afterEach(async () => {
    await Promise.all(streams.splice(0).map((stream) => stream.close()));
    expect(bus.listeners).toBe(0);
  });

  const context = (): CarrierContext => {
    const found = (id: TaskId) => rows.store.find(id, rows.owner);
    const tasks = {
      ...rows.store,
      changedSince: async () => {
        const all = await Promise.all(ids.map(found));
        return all.filter((task): task is Task => task !== null);
      },
      takeLogs: (id: TaskId) => Promise.resolve((logs.get(id) ?? []).splice(0)),
    };
    const store = {
      lease: () => Promise.resolve([]),
      unlease: () => Promise.resolve(),
      settled: () => Promise.resolve(new Map()),
      pending: () => Promise.resolve([]),
    };
    return {
      tasks,
      inputs: { store },
      watch: new WatchHub({ tasks: rows.store, inputs: rows.inputs, bus, log: silentLogger }),
      settings: { pollIntervalMs: 1_000 },
    } as unknown as CarrierContext;
  };
  const newStream = () => {
    const sent: ServerMessage[] = [];
    const stream = new SessionStream(context(), {
      session: { ...session, principalId: rows.owner },
      abilities: NO_ABILITIES,
      broadcasts: {
        subscribe: (listener) => {
          const before = broadcast;
          broadcast = (message) => {
            before(message);
            listener(message);
          };
          return () => {};
        },
      },
      resumed: null,
      log: silentLogger,
      send: (message) => sent.push(message),
      supersede: () => {},
    });
    streams.push(stream);
    return { stream, sent };
  };
  const open = async () => {
    const { stream, sent } = newStream();
    await stream.prepare();
    await stream.open();
    return sent;
  };
  const add = (): TaskId => {
    const id = rows.add({ sessionId: session.id, updatedAt: new Date(10_000 * ids.length) });
    ids.push(id);
    return id;
  };
  const finish = (id: TaskId): void => {
    rows.change(id, { updatedAt: new Date(1_000_000) });
    rows.finish(id, { kind: 'result', isError: false, result: {} });
  };
  const say = (kind: 'changed' | 'logged', taskId: TaskId) =>
    bus.publish(sessionTopic(session.id), { kind, taskId });
  const ended = (sent: ServerMessage[], id: TaskId) =>
    sent.filter(({ params }) => params?.['taskId'] === id && params['status'] === 'completed');
  const settled = async (sent: ServerMessage[]): Promise<void> => {
    const probe = add();
    finish(probe);
    await waitFor(
      async () => {
        await say('changed', probe);
        return ended(sent, probe).length > 0;
      },
      { what: 'the stream has settled' },
    );
  };

  it('tells after lost messages what changed meanwhile, and nothing it has told', async () => {
    const [told, missed, old] = [add(), add(), add()];
    finish(old);
    rows.change(old, { updatedAt: new Date(0) });
    const sent = await open();
    await settled(sent);
    finish(told);
    await say('changed', told);
    await waitFor(() => ended(sent, told).length > 0, { what: 'it is told' });
    finish(missed);
    bus.resync();
    await waitFor(() => ended(sent, missed).length > 0, { what: 'the missed one is told' });
    const [a, b, c] = [told, missed, old].map((id) => ended(sent, id).length);
    expect([a, b, c]).toEqual([1, 1, 0]);
  });

  it('sends log messages that it was told of, also when the turn has gone meanwhile', async () => {
    const id = add();
    const older = await open();
    await settled(older);
    logs.set(id, [{ id: '1', level: 'info', logger: 't', data: 'said' }]);
    void say('logged', id);
    const newer = await open();
    await settled(newer);
    const texts = [...older, ...newer].flatMap(({ method, params }) =>
      method === 'notifications/message' ? [params?.['data']] : [],
    );
    expect(texts).toEqual(['said']);
  });

  it('tells once Postgres is back what it could not read', async () => {
    const lost = add();
    const sent = await open();
    await settled(sent);
    rows.isAway = true;
    finish(lost);
    const reads = rows.reads;
    await say('changed', lost);
    await waitFor(() => rows.reads > reads, { what: 'it has tried' });
    rows.isAway = false;
    await waitFor(() => ended(sent, lost).length > 0, { what: 'it is told' });
    expect(ended(sent, lost)).toHaveLength(1);
  });

  it('carries broadcasts once it has settled, each kind once, and only on its turn', async () => {
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;
    const of = (sent: ServerMessage[]) => sent.filter(({ method }) => method === changed.method);
    const older = await open();
    broadcast(changed);
    broadcast(changed);
    expect(of(older)).toEqual([]);
    await waitFor(() => of(older).length > 0, { what: 'what was held back is told' });
    expect(of(older)).toEqual([changed]);
    const newer = await open();
    await settled(newer);
    broadcast(changed);
    expect([of(older).length, of(newer).length]).toEqual([1, 1]);
  });

  it('does not tell what a stream has told that waited while it held back', async () => {
    const [waited, other] = [add(), add()];
    const waiting = { taskId: waited, stream: randomUUID() };
    const topic = sessionTopic(session.id);
    const sent = await open();
    await bus.publish(topic, { kind: 'stream-open', ...waiting });
    finish(waited);
    finish(other);
    await say('changed', other);
    await say('changed', waited);
    await bus.publish(topic, { kind: 'stream-close', ...waiting });
    await waitFor(() => ended(sent, other).length > 0, { what: 'the other one is told' });
    await settled(sent);
    expect(ended(sent, waited)).toEqual([]);
  });

  it('tells of an end that was read before it was said', async () => {
    const id = add();
    const sent = await open();
    await settled(sent);
    finish(id);
    const reads = rows.reads;
    await say('logged', id);
    await waitFor(() => rows.reads > reads, { what: 'the row is read' });
    await say('changed', id);
    await waitFor(() => ended(sent, id).length > 0, { what: 'it is told' });
  });

  it('leaves nothing behind when Postgres is away, or the client goes, before it is open', async () => {
    add();
    rows.isAway = true;
    const { stream } = newStream();
    await expect(stream.prepare()).rejects.toThrow(LongshoreError);
    rows.isAway = false;
    const { stream: left } = newStream();
    const preparing = left.prepare();
    await left.close();
    await preparing;
    await left.open();
  });
});
