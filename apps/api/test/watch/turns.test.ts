import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type BusMessage, silentLogger, type TaskId } from '@longshore/core';
import type { StreamTurn } from '../../src/watch/turns.ts';
import { WatchHub } from '../../src/watch/watch-hub.ts';
import { FakeBus } from '../catalogue/support/fakes.ts';
import { FakeRows } from './fake-rows.ts';

const TOPIC = 'session:1';
const TASK = randomUUID() as string as TaskId;

interface Stream {
  readonly id: string;
  readonly turn: StreamTurn;
  superseded: number;
  close(): Promise<void>;
}

describe.each(['one process', 'a process each'])('the turn among streams of %s', (where) => {
  let bus: FakeBus;
  let hubs: WatchHub[];

  beforeEach(() => {
    bus = new FakeBus();
    hubs = [];
  });

  const newHub = (): WatchHub => {
    const { store: tasks, inputs } = new FakeRows();
    const hub = new WatchHub({ tasks, inputs, bus, log: silentLogger });
    hubs.push(hub);
    return hub;
  };
  const hubOfNext = (): WatchHub => (where === 'one process' ? (hubs[0] ?? newHub()) : newHub());
  const open = async (
    options: { resumed?: string; taskId?: TaskId | null; isSole?: boolean } = {},
  ): Promise<Stream> => {
    const { resumed = null, taskId = TASK, isSole = false } = options;
    const id = randomUUID();
    const hub = hubOfNext();
    const turn = hub.turn(TOPIC, {
      taskId,
      stream: id,
      isSole,
      superseded: () => {
        stream.superseded += 1;
      },
    });
    const heard = await hub.join(TOPIC, 'everything', () => {});
    const stream: Stream = {
      id,
      turn,
      superseded: 0,
      close: async () => {
        await heard.close();
        await turn.close();
      },
    };
    await turn.open(resumed);
    return stream;
  };
  const mine = (...streams: Stream[]) => streams.map(({ turn }) => turn.mine);
  const closeAll = (...streams: Stream[]) => Promise.all(streams.map((stream) => stream.close()));

  it('is the newest stream’s, and of those left when that one ends', async () => {
    const [a, b, c] = [await open(), await open(), await open()];
    expect(mine(a, b, c)).toEqual([false, false, true]);
    await c.close();
    expect(mine(a, b).filter(Boolean)).toHaveLength(1);
    await closeAll(a, b);
    expect(bus.listeners).toBe(0);
    const nothing = { topics: 0, interests: 0, turns: 0, rows: 0 };
    expect(hubs.map(({ size }) => size)).toEqual(hubs.map(() => nothing));
  });

  it('is another one for each task and for the session', async () => {
    const [get, wait] = [await open({ taskId: null }), await open()];
    expect(mine(get, wait)).toEqual([true, true]);
    await closeAll(get, wait);
  });

  it('is nobody’s for a moment after lost messages, then one’s again', async () => {
    const [a, b] = [await open(), await open()];
    bus.resync();
    expect(mine(a, b).filter(Boolean)).toHaveLength(1);
    await closeAll(a, b);
  });

  it('goes to the stream the client has come back on; the one it left ends, no other does', async () => {
    const [other, left] = [await open(), await open()];
    const back = await open({ resumed: left.id });
    expect([other, left, back].map(({ superseded }) => superseded)).toEqual([0, 1, 0]);
    await left.close();
    expect(mine(other, back).filter(Boolean)).toHaveLength(1);
    await closeAll(other, back);
  });

  it('is not taken from a stream by its own end', async () => {
    const stream = await open();
    await stream.turn.close();
    expect(stream.superseded).toBe(0);
    await stream.close();
  });

  it('is known to a process that listens later, once a GET stream asks', async () => {
    const wait = await open();
    const get = await open({ taskId: null });
    expect(hubs.at(-1)?.isWaitedFor(TOPIC, TASK)).toBe(true);
    await wait.close();
    expect(hubs.at(-1)?.isWaitedFor(TOPIC, TASK)).toBe(false);
    await get.close();
  });

  it('is told of many streams in few messages, short enough for every bus', async () => {
    const tasks = Array.from({ length: 200 }, () => randomUUID() as string as TaskId);
    const hub = newHub();
    hubs = [hub];
    const heard = await hub.join(TOPIC, 'everything', () => {});
    const turns = tasks.map((taskId) =>
      hub.turn(TOPIC, { taskId, stream: randomUUID(), isSole: false, superseded: () => {} }),
    );
    await Promise.all(turns.map((turn) => turn.open(null)));
    const said: BusMessage[] = [];
    const publish = bus.publish.bind(bus);
    bus.publish = (topic, message) => {
      said.push(message);
      return publish(topic, message);
    };
    bus.resync();
    expect(turns.every((turn) => turn.mine)).toBe(true);
    expect(said.length).toBeLessThan(10);
    expect(Math.max(...said.map((message) => JSON.stringify(message).length))).toBeLessThan(7_900);
    await heard.close();
    await Promise.all(turns.map((turn) => turn.close()));
  });

  describe('of a held call', () => {
    it('is its own without a word, until the client has come back on another stream', async () => {
      const said: string[] = [];
      await bus.subscribe(TOPIC, ({ kind }) => said.push(kind));
      const first = await open({ isSole: true });
      expect(mine(first)).toEqual([true]);
      expect(said).toEqual([]);
      const second = await open({ isSole: true, resumed: first.id });
      expect(mine(first, second)).toEqual([false, true]);
      expect([first.superseded, second.superseded]).toEqual([1, 0]);
      const third = await open({ isSole: true, resumed: first.id });
      expect(mine(second, third)).toEqual([false, true]);
      await closeAll(first, second, third);
      expect(said).toEqual(['stream-open', 'stream-open', 'stream-close', 'stream-close']);
    });

    it('stays its own when messages were lost', async () => {
      const stream = await open({ isSole: true });
      bus.resync();
      expect(mine(stream)).toEqual([true]);
      await stream.close();
    });
  });
});
