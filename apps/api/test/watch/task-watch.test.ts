import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Outcome,
  type SessionId,
  sessionTopic,
  silentLogger,
  type TaskId,
  taskTopic,
} from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { type WatchGoal, WatchHub, type WatchOptions } from '../../src/watch/watch-hub.ts';
import { FakeBus } from '../catalogue/support/fakes.ts';
import { FakeRows } from './fake-rows.ts';

const DONE: Outcome = { kind: 'result', isError: false, result: {} };
const SESSION = 'f47ac10b-58cc-4372-a567-0e02b2c3d479' as SessionId;

describe('watching a task', () => {
  let rows: FakeRows;
  let bus: FakeBus;
  let watch: WatchHub;
  let abort: AbortController;
  let withdrawn: number;
  let options: WatchOptions;

  beforeEach(() => {
    rows = new FakeRows();
    bus = new FakeBus();
    watch = new WatchHub({ tasks: rows.store, bus, log: silentLogger });
    abort = new AbortController();
    withdrawn = 0;
    options = {
      delivery: {
        requestId: 7,
        signal: abort.signal,
        withdraw: () => {
          withdrawn += 1;
        },
      },
      callerSessionId: null,
      onEvent: () => {},
      onRow: () => {},
    };
  });

  const watched = (id: TaskId) => ({ id, owner: rows.owner, sessionId: null });
  const changed = (id: TaskId) =>
    bus.publish(taskTopic({ id, sessionId: null }), { kind: 'changed', taskId: id });
  const until = (goal: WatchGoal, id: TaskId) => watch.until(goal, watched(id), options);

  it('listens before it makes the row, so that nothing falls between', async () => {
    const id = rows.add();
    let listening = 0;
    const ended = watch.untilEnded(watched(id), {
      ...options,
      onListening: async () => {
        listening = bus.listeners;
        rows.finish(id, DONE);
      },
    });
    expect((await ended)?.outcome).toEqual(DONE);
    expect(listening).toBe(1);
    expect(bus.listeners).toBe(0);
  });

  it('waits for its goal, such as a question, and no longer', async () => {
    const id = rows.add();
    const found = until(({ task }) => task.state === 'input_required', id);
    await waitFor(() => rows.reads === 1, { what: 'the row was read' });
    await changed(id);
    await waitFor(() => rows.reads === 2, { what: 'the row was read again' });
    rows.ask(id, 'one');
    await changed(id);
    expect((await found)?.task.state).toBe('input_required');
  });

  it('tells every state it reads, in order', async () => {
    const id = rows.add();
    const seen: string[] = [];
    const found = watch.untilEnded(watched(id), {
      ...options,
      onRow: (task) => seen.push(task.state),
    });
    await waitFor(() => seen.length === 1, { what: 'the row was read' });
    rows.ask(id, 'one');
    await changed(id);
    await waitFor(() => seen.length === 2, { what: 'the row was read again' });
    rows.finish(id, DONE);
    await changed(id);
    await found;
    expect(seen).toEqual(['working', 'input_required', 'finished']);
  });

  it('reads again after messages may have been lost', async () => {
    const id = rows.add();
    const found = watch.untilEnded(watched(id), options);
    await waitFor(() => rows.reads === 1, { what: 'the row was read' });
    rows.finish(id, DONE);
    bus.resync();
    expect((await found)?.outcome).toEqual(DONE);
  });

  it('waits while Postgres is away, be it for the row or for the goal', async () => {
    const id = rows.add();
    let asked = 0;
    const found = until(async () => {
      asked += 1;
      // What a goal reads may be away as well.
      if (asked === 1) {
        rows.isAway = true;
        await rows.store.find(id, rows.owner);
      }
      return true;
    }, id);
    await waitFor(() => asked === 1 && rows.isAway, { what: 'it tried' });
    rows.isAway = false;
    expect((await found)?.task.id).toBe(id);
  });

  it('ends with what a goal throws that waiting can not mend', async () => {
    const id = rows.add();
    const found = until(() => {
      throw new TypeError('a defect');
    }, id);
    await expect(found).rejects.toThrow('a defect');
    expect(bus.listeners).toBe(0);
  });

  it('of somebody else, or one that is deleted, ends as not found', async () => {
    const id = rows.add();
    const foreign = { ...watched(id), owner: 'somebody' as typeof rows.owner };
    await expect(watch.untilEnded(foreign, options)).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
    });
    const found = watch.untilEnded(watched(id), options);
    await waitFor(() => rows.reads > 1, { what: 'the row was read' });
    rows.delete(id);
    await changed(id);
    await expect(found).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  });

  it('ends with nothing when nobody waits any more', async () => {
    const id = rows.add();
    const found = watch.untilEnded(watched(id), options);
    await waitFor(() => rows.reads === 1, { what: 'the row was read' });
    abort.abort();
    expect(await found).toBeNull();
    expect(bus.listeners).toBe(0);
  });

  it('hears a withdrawal on the session of who waits, wherever the task’s messages are', async () => {
    const id = rows.add();
    const found = watch.untilEnded(watched(id), { ...options, callerSessionId: SESSION });
    await waitFor(() => rows.reads === 1, { what: 'the row was read' });
    await bus.publish(sessionTopic(SESSION), { kind: 'request-cancelled', requestId: 8 });
    expect(withdrawn).toBe(0);
    await bus.publish(sessionTopic(SESSION), { kind: 'request-cancelled', requestId: 7 });
    expect(withdrawn).toBe(1);
    abort.abort();
    await found;
  });
});
