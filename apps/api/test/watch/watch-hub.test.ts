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
    watch = new WatchHub({ tasks: rows.store, inputs: rows.inputs, bus, log: silentLogger });
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
  const inSession = (id: TaskId) => ({ ...watched(id), sessionId: SESSION });
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

  it('keeps nothing of a wait that is over, however it ended', async () => {
    const nothing = { topics: 0, interests: 0, turns: 0, rows: 0 };
    const [ended, left, gone] = [rows.add(), rows.add(), rows.add()];
    const leave = new AbortController();
    const waits = [
      watch.untilEnded(inSession(ended), { ...options, callerSessionId: SESSION }),
      watch.untilEnded(inSession(left), {
        ...options,
        delivery: { ...options.delivery, signal: leave.signal },
        callerSessionId: SESSION,
      }),
      watch.untilEnded(inSession(gone), { ...options, callerSessionId: SESSION }),
    ];
    const settled = Promise.allSettled(waits);
    await waitFor(() => rows.reads === 3, { what: 'the rows were read' });
    // One topic for all of them; a task each and the one request that may be withdrawn.
    expect(watch.size).toEqual({ topics: 1, interests: 4, turns: 0, rows: 3 });
    expect(bus.listeners).toBe(1);
    leave.abort();
    rows.finish(ended, DONE);
    rows.delete(gone);
    bus.resync();
    expect((await settled).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    expect(watch.size).toEqual(nothing);
    expect(bus.listeners).toBe(0);
  });

  it('finds after a reconnect all ends that were missed, and reads no more rows at once than it may', async () => {
    const ids = Array.from({ length: 1_000 }, () => rows.add());
    let reading = 0;
    let most = 0;
    const tasks = {
      findWithOutcome: async (id: TaskId, owner: typeof rows.owner) => {
        reading += 1;
        most = Math.max(most, reading);
        const found = await rows.store.findWithOutcome(id, owner);
        reading -= 1;
        return found;
      },
    };
    const hub = new WatchHub({ tasks, inputs: rows.inputs, bus, log: silentLogger });
    const waits = Promise.all(ids.map((id) => hub.untilEnded(inSession(id), options)));
    await waitFor(() => rows.reads === ids.length, { what: 'the rows were read' });
    for (const id of ids) rows.finish(id, DONE);
    bus.resync();
    expect((await waits).map((found) => found?.task.id)).toEqual(ids);
    expect(rows.reads).toBe(2 * ids.length);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThan(ids.length);
  });

  it('does for one end among many of a session what it does for one', async () => {
    const ids = Array.from({ length: 1_000 }, () => rows.add());
    const heard = new Map<TaskId, number>();
    const waits = ids.map((id) =>
      watch.untilEnded(inSession(id), {
        ...options,
        onEvent: () => void heard.set(id, (heard.get(id) ?? 0) + 1),
      }),
    );
    await waitFor(() => rows.reads === ids.length, { what: 'the rows were read' });
    for (const id of ids) {
      rows.finish(id, DONE);
      await bus.publish(sessionTopic(SESSION), { kind: 'changed', taskId: id });
    }
    await Promise.all(waits);
    // A message each, and one reading more: not one for every other wait.
    expect([...heard.values()]).toEqual(ids.map(() => 1));
    expect(rows.reads).toBe(2 * ids.length);
  });

  it('keeps a listener that throws from no other', async () => {
    const id = rows.add();
    const bad = watch.untilEnded(watched(id), {
      ...options,
      onEvent: () => {
        throw new TypeError('a defect');
      },
    });
    const good = watch.untilEnded(watched(id), options);
    await waitFor(() => rows.reads === 2, { what: 'the row was read' });
    rows.finish(id, DONE);
    await changed(id);
    expect((await good)?.outcome).toEqual(DONE);
    abort.abort();
    await bad;
  });
});
