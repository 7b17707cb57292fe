import { expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { Hand } from '../../src/run/hand.ts';
import { Seats } from '../../src/run/seats.ts';

const seats = (): Seats => new Seats({ size: 1, spare: 0, mostAway: 10 });

it('waits for a seat, and gets it when it is free', async () => {
  const one = seats();
  const hand = new Hand(one, 60_000);
  const first = await hand.claim();
  const second = hand.claim();
  first?.giveUp();
  expect((await second)?.isTaken).toBe(true);
  hand.end();
});

it('waits no longer than it was told, and then for nothing more', async () => {
  const one = seats();
  const hand = new Hand(one, 20);
  const first = await hand.claim();
  expect(await hand.claim()).toBeNull();
  first?.giveUp();
  expect(await hand.claim()).toBeNull();
});

it('does not wait where seats are held for longer', async () => {
  const one = seats();
  const long = one.take();
  const since = performance.now();
  await waitFor(() => performance.now() - since > 60, { what: 'a seat was held for a while' });
  long?.giveUp();
  one.take();
  const hand = new Hand(one, 50);
  expect(await hand.claim()).toBeNull();
  hand.end();
});

it('gives up the places in line when it ends, and no seats', async () => {
  const one = seats();
  one.take()?.giveUp();
  const hand = new Hand(one, 60_000);
  const [seated, inLine] = [await hand.claim(), await hand.claim()];
  expect([seated?.isTaken, inLine?.isAway]).toEqual([true, true]);
  hand.end();
  await inLine?.ready;
  expect([seated?.isTaken, inLine?.isTaken, inLine?.isAway]).toEqual([true, false, false]);
});

it('leaves who has had its seat alone, also when it waits for something by then', async () => {
  const one = seats();
  one.take()?.giveUp();
  const hand = new Hand(one, 60_000);
  const [first, second] = [await hand.claim(), await hand.claim()];
  first?.giveUp();
  await second?.ready;
  const endWait = second?.wait('answer');
  hand.end();
  await endWait?.();
  expect(second?.isTaken).toBe(true);
});
