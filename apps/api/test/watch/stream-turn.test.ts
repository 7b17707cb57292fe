import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskId } from '@longshore/core';
import { SoleTurn, StreamTurn, type Turn } from '../../src/watch/stream-turn.ts';
import { FakeBus } from '../catalogue/support/fakes.ts';

const TOPIC = 'session:1';
const TASK = randomUUID() as string as TaskId;

interface Stream {
  readonly id: string;
  readonly turn: Turn;
  superseded: number;
  close(): Promise<void>;
}

describe('the turn', () => {
  let bus: FakeBus;

  beforeEach(() => {
    bus = new FakeBus();
  });

  const open = async (
    kind: typeof StreamTurn | typeof SoleTurn,
    resumed: string | null = null,
    taskId: TaskId | null = TASK,
  ): Promise<Stream> => {
    const id = randomUUID();
    const turn = new kind({
      bus,
      topic: TOPIC,
      taskId,
      stream: id,
      superseded: () => {
        stream.superseded += 1;
      },
    });
    const heard = await bus.subscribe(TOPIC, (event) => turn.observe(event));
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

  it('is the newest stream’s, and of those left when that one ends', async () => {
    const [a, b, c] = [await open(StreamTurn), await open(StreamTurn), await open(StreamTurn)];
    expect(mine(a, b, c)).toEqual([false, false, true]);
    await c.close();
    expect(mine(a, b).filter(Boolean)).toHaveLength(1);
    await Promise.all([a.close(), b.close()]);
    expect(bus.listeners).toBe(0);
  });

  it('is another one for each task and for the session', async () => {
    const get = await open(StreamTurn, null, null);
    const wait = await open(StreamTurn);
    expect(mine(get, wait)).toEqual([true, true]);
    await Promise.all([get.close(), wait.close()]);
  });

  it('is nobody’s for a moment after lost messages, then one’s again', async () => {
    const [a, b] = [await open(StreamTurn), await open(StreamTurn)];
    bus.resync();
    expect(mine(a, b).filter(Boolean)).toHaveLength(1);
    await Promise.all([a.close(), b.close()]);
  });

  it('goes to the stream the client has come back on; the one it left ends, no other does', async () => {
    const [other, left] = [await open(StreamTurn), await open(StreamTurn)];
    const back = await open(StreamTurn, left.id);
    expect([other, left, back].map(({ superseded }) => superseded)).toEqual([0, 1, 0]);
    await left.close();
    expect(mine(other, back).filter(Boolean)).toHaveLength(1);
    await Promise.all([other.close(), back.close()]);
  });

  it('is not taken from a stream by its own end', async () => {
    const stream = await open(StreamTurn);
    await stream.turn.close();
    expect(stream.superseded).toBe(0);
    await stream.close();
  });

  describe('of a held call', () => {
    it('is its own without a word, until the client has come back on another stream', async () => {
      const said: string[] = [];
      await bus.subscribe(TOPIC, ({ kind }) => said.push(kind));
      const first = await open(SoleTurn);
      expect(mine(first)).toEqual([true]);
      expect(said).toEqual([]);
      const second = await open(SoleTurn, first.id);
      expect(mine(first, second)).toEqual([false, true]);
      expect([first.superseded, second.superseded]).toEqual([1, 0]);
      const third = await open(SoleTurn, first.id);
      expect(mine(second, third)).toEqual([false, true]);
      await Promise.all([first.close(), second.close(), third.close()]);
      expect(said).toEqual(['stream-open', 'stream-open', 'stream-close', 'stream-close']);
    });

    it('stays its own when messages were lost', async () => {
      const stream = await open(SoleTurn);
      bus.resync();
      expect(mine(stream)).toEqual([true]);
      await stream.close();
    });
  });
});
