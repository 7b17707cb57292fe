import { describe, expect, it } from '@jest/globals';
import { HostGate } from '../src/network/host-gate.ts';

const never = new AbortController().signal;

describe('the gate of a host', () => {
  it('lets two in at once, and the next when one leaves', async () => {
    const gate = new HostGate();
    const order: string[] = [];
    const enter = async (name: string) => {
      const leave = await gate.enter('a.test', 0, never);
      order.push(name);
      return leave;
    };
    const [first, second] = [await enter('first'), await enter('second')];
    const third = enter('third');
    const fourth = enter('fourth');
    await new Promise(setImmediate);
    expect(order).toEqual(['first', 'second']);
    second();
    (await third)();
    (await fourth)();
    first();
    expect(order).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('keeps a pause between the beginnings, for each host alone', async () => {
    const gate = new HostGate();
    const startsMs: number[] = [];
    const visit = async () => {
      const leave = await gate.enter('a.test', 40, never);
      startsMs.push(performance.now());
      leave();
    };
    const begunMs = performance.now();
    const visits = Promise.all([visit(), visit(), visit(), visit()]);
    (await gate.enter('b.test', 40, never))();
    expect(startsMs.length).toBeLessThan(4);
    await visits;
    // Timers count whole milliseconds, and may be late but hardly early.
    expect((startsMs[3] ?? 0) - begunMs).toBeGreaterThanOrEqual(3 * 40 - 5);
  });

  it('forgets who stops waiting, for a place or for the pause', async () => {
    const gate = new HostGate();
    const leave = await gate.enter('a.test', 60_000, never);
    const pausing = new AbortController();
    const paused = gate.enter('a.test', 0, pausing.signal);
    const queueing = new AbortController();
    const queued = gate.enter('a.test', 0, queueing.signal);
    queueing.abort(new Error('not in line'));
    await expect(queued).rejects.toThrow('not in line');
    pausing.abort(new Error('no patience'));
    await expect(paused).rejects.toThrow('no patience');
    leave();
    const stopped = AbortSignal.abort(new Error('too late'));
    await expect(gate.enter('a.test', 0, stopped)).rejects.toThrow('too late');
  });
});
