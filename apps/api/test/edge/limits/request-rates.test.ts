import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Logger,
  LongshoreError,
  type PrincipalId,
  type RequestCounts,
  silentLogger,
} from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { describeService } from '@longshore/testing/suites';
import { RequestRates } from '../../../src/edge/limits/request-rates.ts';

const ADA = 'ada' as PrincipalId;
const BOB = 'bob' as PrincipalId;

/** Counts as a server of all processes does; may be away, or slow. */
class FakeCounts implements RequestCounts {
  readonly requests = new Map<PrincipalId, number>();
  readonly reports: ReadonlyMap<PrincipalId, number>[] = [];
  endsInMs = 60_000;
  isAway = false;
  #gate: Promise<void> = Promise.resolve();
  /** Lets reports have their answer. */
  release = (): void => {};

  /** Leaves reports without an answer until `release`. */
  hold(): void {
    this.#gate = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  async add(requests: ReadonlyMap<PrincipalId, number>) {
    this.reports.push(requests);
    await this.#gate;
    if (this.isAway) throw new LongshoreError('QUEUE_UNAVAILABLE', 'away');
    for (const [principal, count] of requests) {
      this.requests.set(principal, (this.requests.get(principal) ?? 0) + count);
    }
    return new Map(
      [...requests.keys()].map((principal) => [
        principal,
        { requests: this.requests.get(principal) ?? 0, endsInMs: this.endsInMs },
      ]),
    );
  }
}

let now = 0;
let counts: FakeCounts;
let lines: string[];
const open: RequestRates[] = [];

function replica(): RequestRates {
  const note = (_fields: object, message: string): void => {
    lines.push(message);
  };
  const log: Logger = { ...silentLogger, info: note, warn: note };
  const rates = new RequestRates({ counts, log, now: () => now });
  open.push(rates);
  return rates;
}

/** How many of so many requests are let through. */
function taken(rates: RequestRates, requests: number, perMinute: number, who = ADA): number {
  let count = 0;
  for (let request = 0; request < requests; request += 1) {
    try {
      rates.take(who, perMinute);
      count += 1;
    } catch (error) {
      expect(error).toMatchObject({ code: 'RATE_LIMITED' });
    }
  }
  return count;
}

const told = (requests: number, who = ADA) =>
  waitFor(() => counts.requests.get(who) === requests, { what: `${requests} requests are told` });

beforeEach(() => {
  now = 0;
  counts = new FakeCounts();
  lines = [];
});
afterEach(async () => {
  counts.release();
  await Promise.all(open.splice(0).map((rates) => rates.stop()));
});

describe('one process', () => {
  it('lets through the limit exactly, to each principal its own', () => {
    const rates = replica();
    expect(taken(rates, 10, 7)).toBe(7);
    expect(taken(rates, 10, 7, BOB)).toBe(7);
    expect(taken(rates, 1, 8)).toBe(1);
  });

  it('lets a request count for several, and takes one that costs more than is left', async () => {
    const rates = replica();
    rates.take(ADA, 10, 4);
    rates.count(ADA, 10, 3);
    expect(taken(rates, 2, 10)).toBe(2);
    rates.take(ADA, 10, 50);
    expect(taken(rates, 1, 10)).toBe(0);
    await told(59);
  });

  it('says when the minute is over, and begins anew then', () => {
    const rates = replica();
    now = 100;
    taken(rates, 2, 2);
    now = 15_100.5;
    expect(() => rates.take(ADA, 2)).toThrow(
      expect.objectContaining({ details: { retryAfterMs: 45_000 } }),
    );
    now = 60_099;
    expect(taken(rates, 1, 2)).toBe(0);
    now = 60_100;
    expect(taken(rates, 3, 2)).toBe(2);
  });

  it('counts what it never refuses', async () => {
    const rates = replica();
    for (let index = 0; index < 5; index += 1) rates.count(ADA, 3);
    expect(taken(rates, 1, 3)).toBe(0);
    await told(5);
  });

  it('has no limit when it is 0, and counts nothing then', () => {
    const rates = replica();
    expect(taken(rates, 1_000, 0)).toBe(1_000);
    rates.count(ADA, 0);
    expect(taken(rates, 1, 1)).toBe(1);
  });

  it('tells many requests of many principals in one report, one report at a time', async () => {
    const [rates, other] = [replica(), replica()];
    counts.hold();
    taken(rates, 3, 100);
    taken(rates, 2, 100, BOB);
    await waitFor(() => counts.reports.length === 1, { what: 'the first report' });
    now = 10_000;
    taken(rates, 4, 100);
    // That of the other one would be the third, did not the first have to be answered before.
    taken(other, 1, 100, BOB);
    await waitFor(() => counts.reports.length === 2, { what: 'the report of the other one' });
    counts.release();
    await told(7);
    expect(counts.reports).toEqual([
      new Map([
        [ADA, 3],
        [BOB, 2],
      ]),
      new Map([[BOB, 1]]),
      new Map([[ADA, 4]]),
    ]);
  });

  it('counts what is being told', async () => {
    const rates = replica();
    counts.hold();
    taken(rates, 3, 5);
    await waitFor(() => counts.reports.length === 1, { what: 'the report' });
    expect(taken(rates, 10, 5)).toBe(2);
  });
});

describe('several processes', () => {
  it('keep the limit together, once they have heard of one another', async () => {
    const [left, right] = [replica(), replica()];
    expect(taken(left, 6, 10)).toBe(6);
    await told(6);
    expect(taken(right, 1, 10)).toBe(1);
    await told(7);
    expect(taken(right, 10, 10)).toBe(3);
  });

  it('take the end of the minute from the counts', async () => {
    const rates = replica();
    counts.endsInMs = 5_000;
    taken(rates, 2, 2);
    await told(2);
    await waitFor(
      () => {
        try {
          rates.take(ADA, 2);
        } catch (error) {
          return error instanceof LongshoreError && error.details?.['retryAfterMs'] === 5_000;
        }
        return false;
      },
      { what: 'the end is known' },
    );
    now = 5_000;
    expect(taken(rates, 3, 2)).toBe(2);
  });
});

describe('without the counts', () => {
  it('goes on, within the limit of one process, and says so once', async () => {
    const rates = replica();
    counts.isAway = true;
    expect(taken(rates, 5, 10)).toBe(5);
    await waitFor(() => lines.length === 1, { what: 'it is said' });
    now = 2_000;
    expect(taken(rates, 10, 10)).toBe(5);
    await waitFor(() => counts.reports.length === 2, { what: 'the second report' });
    expect(lines).toEqual(['requests can not be counted together, each API counts its own']);
    counts.isAway = false;
    now = 60_000;
    expect(taken(rates, 20, 10)).toBe(10);
    await told(10);
    await waitFor(() => lines.length === 2, { what: 'it is said that they are back' });
  });
});

it('keeps little of principals that come and go', () => {
  const rates = replica();
  rates.take(ADA, 1);
  for (let index = 0; index < 10_000; index += 1) rates.take(`p${index}` as PrincipalId, 1);
  // Displaced, it may come again: the counts know better.
  expect(taken(rates, 2, 1)).toBe(1);
});

describeService('RequestRates', () => Promise.resolve(replica()));
