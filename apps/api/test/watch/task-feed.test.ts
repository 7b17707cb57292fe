import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type JsonObject,
  type Outcome,
  type SessionId,
  silentLogger,
  taskTopic,
} from '@longshore/core';
import { waitFor } from '@longshore/testing';
import type { ApiContext } from '../../src/methods/api-context.ts';
import { TaskFeed } from '../../src/watch/task-feed.ts';
import { WatchHub } from '../../src/watch/watch-hub.ts';
import { FakeBus } from '../catalogue/support/fakes.ts';
import { FakeRows } from './fake-rows.ts';

const DONE: Outcome = { kind: 'result', isError: false, result: { content: [] } };

describe('a feed of tasks', () => {
  let rows: FakeRows;
  let bus: FakeBus;
  let told: JsonObject[];
  let feed: TaskFeed;
  let watch: WatchHub;

  beforeEach(() => {
    rows = new FakeRows();
    bus = new FakeBus();
    told = [];
    watch = new WatchHub({ tasks: rows.store, inputs: rows.inputs, bus, log: silentLogger });
    feed = new TaskFeed({
      context: {
        tasks: rows.store,
        inputs: rows.inputs,
        watch,
        settings: { pollIntervalMs: 500 },
      } as unknown as ApiContext,
      owner: rows.owner,
      tell: (task) => told.push(task),
    });
  });

  const statuses = () => told.map((task) => task['status']);
  const changed = (id: Parameters<typeof taskTopic>[0]['id'], sessionId: SessionId | null = null) =>
    bus.publish(taskTopic({ id, sessionId }), { kind: 'changed', taskId: id });
  const following = async (...ids: string[]) => {
    const abort = new AbortController();
    const honoured = await feed.open(ids);
    const ended = feed.run(abort.signal);
    return { honoured, ended, abort };
  };

  it('tells each state once, and ends with the last task', async () => {
    const [first, second] = [rows.add(), rows.add()];
    const { ended, honoured } = await following(first, second, first, 'nonsense');
    expect(honoured).toEqual([first, second]);
    await waitFor(() => told.length === 2, { what: 'both are told' });
    await changed(first);
    rows.change(first, { statusMessage: 'half' });
    await changed(first);
    await waitFor(() => told.length === 3, { what: 'the change is told' });
    rows.finish(first, DONE);
    await changed(first);
    rows.finish(second, DONE);
    await changed(second);
    await ended;
    expect(statuses()).toEqual(['working', 'working', 'working', 'completed', 'completed']);
    await feed.close();
    expect(watch.size).toEqual({ topics: 0, interests: 0, turns: 0, rows: 0 });
  });

  it('hears of tasks on their session’s topic', async () => {
    const sessionId = 'f47ac10b-58cc-4372-a567-0e02b2c3d479' as SessionId;
    const id = rows.add({ sessionId });
    const { ended } = await following(id);
    await waitFor(() => told.length === 1, { what: 'it is told' });
    rows.finish(id, DONE);
    await changed(id, sessionId);
    await ended;
    expect(statuses()).toEqual(['working', 'completed']);
  });

  it('tells questions while there are any, and takes a task without for a working one', async () => {
    const id = rows.add();
    rows.ask(id, 'one', 'two');
    const { ended, abort } = await following(id);
    await waitFor(() => told.length === 1, { what: 'it is told' });
    expect(told[0]).toMatchObject({
      status: 'input_required',
      inputRequests: { one: {}, two: {} },
    });
    rows.ask(id);
    await changed(id);
    await waitFor(() => told.length === 2, { what: 'the answers are told' });
    expect(told[1]).toMatchObject({ status: 'working' });
    abort.abort();
    await ended;
  });

  it('reads all tasks again after messages may have been lost', async () => {
    const id = rows.add();
    const { ended } = await following(id);
    await waitFor(() => told.length === 1, { what: 'it is told' });
    rows.finish(id, DONE);
    bus.resync();
    await ended;
    expect(statuses()).toEqual(['working', 'completed']);
  });

  it('waits while Postgres is away, and misses nothing', async () => {
    const id = rows.add();
    const { ended } = await following(id);
    await waitFor(() => told.length === 1, { what: 'it is told' });
    rows.isAway = true;
    rows.finish(id, DONE);
    const before = rows.reads;
    await changed(id);
    await waitFor(() => rows.reads > before, { what: 'it tried' });
    rows.isAway = false;
    await ended;
    expect(statuses()).toEqual(['working', 'completed']);
  });

  it('tells progress it heard of before the row has it, and none of an ended task', async () => {
    const id = rows.add();
    const { ended, abort } = await following(id);
    await waitFor(() => told.length === 1, { what: 'it is told' });
    const progress = {
      kind: 'progress',
      taskId: id,
      token: null,
      total: 5,
      message: null,
    } as const;
    await bus.publish(taskTopic({ id, sessionId: null }), { ...progress, progress: 1 });
    await bus.publish(taskTopic({ id, sessionId: null }), { ...progress, progress: 2 });
    await waitFor(() => told.length === 2, { what: 'progress is told' });
    expect(told[1]).toMatchObject({ status: 'working', statusMessage: '2/5' });
    abort.abort();
    await ended;
  });

  it('lets go of a task that is deleted', async () => {
    const [gone, stays] = [rows.add(), rows.add()];
    const { ended } = await following(gone, stays);
    await waitFor(() => told.length === 2, { what: 'both are told' });
    rows.delete(gone);
    await changed(gone);
    rows.finish(stays, DONE);
    await changed(stays);
    await ended;
    expect(statuses()).toEqual(['working', 'working', 'completed']);
  });

  it('follows nothing that its owner does not own, and then ends at once', async () => {
    const { honoured, ended } = await following('f47ac10b-58cc-4372-a567-0e02b2c3d479');
    expect(honoured).toEqual([]);
    await ended;
    expect(told).toEqual([]);
  });

  it('asks for the messages of all its tasks at once, and starts when each is heard', async () => {
    const live = bus.holdSubscriptions();
    const opening = feed.open([rows.add(), rows.add(), rows.add()]);
    await waitFor(() => bus.listeners === 3, { what: 'all are asked for' });
    const isOpen = jest.fn();
    void opening.then(isOpen);
    live[0]?.resolve();
    live[2]?.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOpen).not.toHaveBeenCalled();
    live[1]?.resolve();
    expect(await opening).toHaveLength(3);
  });

  it('leaves no listener behind', async () => {
    await feed.open([rows.add(), rows.add()]);
    expect(bus.listeners).toBe(2);
    await feed.close();
    expect(bus.listeners).toBe(0);
  });

  it('leaves no listener behind when one topic can not be listened to', async () => {
    const live = bus.holdSubscriptions();
    const opening = feed.open([rows.add(), rows.add(), rows.add()]);
    await waitFor(() => bus.listeners === 3, { what: 'all are asked for' });
    const refused = expect(opening).rejects.toThrow('the bus is away');
    live[1]?.reject(new Error('the bus is away'));
    live[0]?.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    live[2]?.resolve();
    await refused;
    await feed.close();
    expect(bus.listeners).toBe(0);
  });
});
