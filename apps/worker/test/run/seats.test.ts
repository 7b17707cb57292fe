import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PrincipalId } from '@longshore/core';
import { type Seat, Seats } from '../../src/run/seats.ts';

const [ann, bob, cat] = ['ann', 'bob', 'cat'] as unknown as [PrincipalId, PrincipalId, PrincipalId];

let heard: string[];
beforeEach(() => {
  heard = [];
});

const taken = (seat: Seat | null): Seat => {
  if (seat === null) throw new Error('no seat');
  return seat;
};
const note = (promise: Promise<unknown>, text: string): void => {
  promise.then(
    () => heard.push(text),
    () => heard.push(`${text} not`),
  );
};
/** After everything that was ready to happen. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const seats = (size: number, spare = 0, mostAway = 10): Seats =>
  new Seats({ size, spare, mostAway });

describe('seats', () => {
  it('are taken until none is free', () => {
    const two = seats(2);
    const first = taken(two.take());
    taken(two.take());
    expect(two.take()).toBeNull();
    first.giveUp();
    first.giveUp();
    taken(two.take());
    expect(two.take()).toBeNull();
  });

  it('are given away while one waits, and come back before anything new', async () => {
    const one = seats(1);
    const first = taken(one.take());
    const endWait = first.wait('tasks');
    expect(first.isAway).toBe(true);
    const second = taken(one.take());
    note(endWait(), 'back');
    one.whenFree(() => heard.push('free'));
    await settled();
    expect(heard).toEqual([]);
    second.giveUp();
    expect(one.take()).toBeNull();
    await settled();
    expect(heard).toEqual(['back']);
    expect(first.isAway).toBe(false);
    first.giveUp();
    expect(heard).toEqual(['back', 'free']);
  });

  it('come back when the last of several waits is over', async () => {
    const one = seats(1);
    const first = taken(one.take());
    const [endOne, endTwo] = [first.wait('answer'), first.wait('tasks')];
    const second = taken(one.take());
    note(endOne(), 'one');
    note(endTwo(), 'two');
    await settled();
    expect(heard).toEqual(['one']);
    // Another wait begins before the seat is back: there is nothing to stand in line for.
    const endThree = first.wait('answer');
    await settled();
    expect(heard).toEqual(['one', 'two']);
    second.giveUp();
    expect(first.isAway).toBe(true);
    await endThree();
    expect(first.isAway).toBe(false);
    await endThree();
  });

  it('do not come back once they were given up', async () => {
    const one = seats(1);
    const first = taken(one.take());
    const endWait = first.wait('answer');
    const second = taken(one.take());
    note(endWait(), 'stopped');
    first.giveUp();
    await settled();
    expect(heard).toEqual(['stopped']);
    second.giveUp();
    taken(one.take());
    await first.wait('answer')();
    expect(first.isAway).toBe(false);
  });

  it('are kept by who waits for an answer when many are away, never by who waits for tasks', () => {
    const two = seats(2, 0, 1);
    const [first, second] = [taken(two.take()), taken(two.take())];
    first.wait('answer');
    second.wait('answer');
    expect([first.isAway, second.isAway]).toEqual([true, false]);
    second.wait('tasks');
    expect(second.isAway).toBe(true);
  });

  it('are waited for in the order of coming, until a signal fires', async () => {
    const one = seats(1);
    const first = await one.come(ann, AbortSignal.abort()).catch(() => taken(one.take()));
    const stop = new AbortController();
    note(one.come(ann, stop.signal), 'ann');
    note(one.come(bob, new AbortController().signal), 'bob');
    stop.abort();
    first.giveUp();
    await settled();
    expect(heard).toEqual(['ann not', 'bob']);
  });
});

describe('claiming', () => {
  // How far ahead it goes is a matter of milliseconds, and this process may stand still for some.
  beforeEach(() => {
    jest.spyOn(performance, 'now').mockReturnValue(1);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** A task that has just ended says how long tasks take: no time at all. */
  const short = (one: Seats): void => taken(one.take()).giveUp();

  it('goes ahead of the seats while tasks are short, and those ahead are seated in their order', async () => {
    const one = seats(1);
    const first = taken(one.claim());
    expect(one.claim()).toBeNull();
    first.giveUp();
    const second = taken(one.claim());
    const [third, fourth] = [taken(one.claim()), taken(one.claim())];
    note(third.ready, 'third');
    note(fourth.ready, 'fourth');
    expect([second.isTaken, third.isTaken, third.isAway]).toEqual([true, false, true]);
    second.giveUp();
    await settled();
    expect(heard).toEqual(['third']);
    expect([third.isTaken, fourth.isTaken]).toEqual([true, false]);
    fourth.giveUp();
    await settled();
    expect(heard).toEqual(['third', 'fourth']);
    expect(fourth.isTaken).toBe(false);
  });

  it('is told of places one after the other, before who waits for a seat', () => {
    const one = seats(1);
    short(one);
    const claimed: Seat[] = [];
    for (let seat = one.claim(); seat !== null; seat = one.claim()) claimed.push(seat);
    one.whenClaimable(() => heard.push('first'));
    one.whenClaimable(() => heard.push('second'));
    one.whenFree(() => heard.push('free'));
    for (const seat of claimed) {
      const before = heard.length;
      seat.giveUp();
      expect(heard.length - before).toBeLessThanOrEqual(1);
    }
    while (heard.length < 3) short(one);
    expect(heard).toEqual(['first', 'second', 'free']);
  });

  it('stops when one of those ahead has waited in vain, until a seat is free', () => {
    const two = seats(2);
    short(two);
    const running = [taken(two.claim()), taken(two.claim())];
    taken(two.claim()).giveUp();
    expect(two.claim()).toBeNull();
    running[0]?.giveUp();
    expect([two.claim(), two.claim()].map((seat) => seat?.isTaken)).toEqual([true, false]);
  });

  it('goes no further ahead than a bound', () => {
    const one = seats(1);
    short(one);
    let claimed = 0;
    while (one.claim() !== null) claimed += 1;
    expect(claimed).toBeGreaterThan(1);
    expect(claimed).toBeLessThanOrEqual(257);
  });

  it('leaves spare seats alone, as long as nobody knows whose task it is', () => {
    const one = seats(1, 1);
    short(one);
    taken(one.claim()).principal = ann;
    expect(taken(one.claim()).isTaken).toBe(false);
  });

  it('goes on while outcomes are written, of so many and no more', () => {
    const two = seats(2);
    const writing = Array.from({ length: 64 }, () => {
      const seat = taken(two.claim());
      seat.write();
      return seat;
    });
    expect(two.claim()).toBeNull();
    writing[0]?.giveUp();
    expect(taken(two.claim()).isTaken).toBe(true);
  });
});

describe('spare seats', () => {
  it('are for principals without a seat when all are taken', () => {
    const two = seats(2, 1);
    expect(two.hasOnlySpare).toBe(false);
    const first = taken(two.take());
    first.principal = ann;
    const second = taken(two.takeFor(ann));
    expect(two.hasOnlySpare).toBe(true);
    expect(two.takeFor(ann)).toBeNull();
    expect(two.take()).toBeNull();
    taken(two.takeFor(bob));
    expect(two.hasOnlySpare).toBe(false);
    expect(two.takeFor(cat)).toBeNull();
    // What becomes free makes up for the spare one that is taken.
    first.giveUp();
    expect(two.take()).toBeNull();
    taken(two.takeFor(cat));
    second.giveUp();
    expect(two.take()).toBeNull();
  });

  it('are given to who comes back, past those who have seats', async () => {
    const one = seats(1, 1);
    const waiting = taken(one.takeFor(bob));
    const endWait = waiting.wait('answer');
    const other = taken(one.takeFor(ann));
    const more = taken(one.takeFor(bob));
    const endMore = more.wait('answer');
    note(one.come(ann, new AbortController().signal), 'ann');
    note(endWait(), 'bob');
    note(endMore(), 'bob again');
    await settled();
    expect(heard).toEqual(['bob']);
    other.giveUp();
    waiting.giveUp();
    await settled();
    expect(heard).toEqual(['bob', 'ann', 'bob again']);
  });
});
