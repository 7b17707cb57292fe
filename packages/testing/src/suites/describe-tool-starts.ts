import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolStarts } from '@longshore/core';
import { jestGlobals } from '../jest-globals.ts';

/** The clocks of server and test are read in whole milliseconds, and windows end in them. */
const CLOCK_MS = 2;

/**
 * The tests every `ToolStarts` passes.
 *
 * @param open two processes' ends of the same counts, connected; called within a test
 */
export function describeToolStarts(
  name: string,
  open: () => Promise<readonly [ToolStarts, ToolStarts]>,
): void {
  const { describe, expect, it } = jestGlobals();
  describe(`${name}: starts of tools`, () => {
    it('gives no more than there are, however many processes ask at once', async () => {
      const both = await open();
      const rate = { starts: 10, perMs: 60_000 };
      const answers = await Promise.all(
        both.flatMap((starts) => Array.from({ length: 40 }, () => starts.take('busy', rate))),
      );
      expect(answers.filter((waitMs) => waitMs === 0)).toHaveLength(10);
      const refused = answers.filter((waitMs) => waitMs !== 0);
      expect(Math.min(...refused)).toBeGreaterThan(0);
      expect(Math.max(...refused)).toBeLessThanOrEqual(60_000 + CLOCK_MS);
      expect(await both[0].take('other', rate)).toBe(0);
    });

    it('begins a window with the first start after the one before has ended', async () => {
      const both = await open();
      const rate = { starts: 10, perMs: 250 };
      const beganAt = performance.now();
      const takenAt: number[] = [];
      const take = async (starts: ToolStarts): Promise<void> => {
        while (takenAt.length < 31) {
          const waitMs = await starts.take('steady', rate);
          if (waitMs === 0) takenAt.push(performance.now());
          else await sleep(Math.min(waitMs, 10));
        }
      };
      await Promise.all([...both, ...both].map(take));
      takenAt.sort((a, b) => a - b);
      for (const windows of [1, 2, 3]) {
        const elapsedMs = (takenAt[windows * 10] ?? 0) - beganAt;
        expect(elapsedMs).toBeGreaterThanOrEqual(windows * (rate.perMs - CLOCK_MS));
      }
    });

    it('counts once for definitions that differ, each of which keeps to its own', async () => {
      const [left, right] = await open();
      const low = { starts: 1, perMs: 60_000 };
      const high = { starts: 3, perMs: 60_000 };
      expect(await left.take('changed', low)).toBe(0);
      for (let asked = 0; asked < 5; asked += 1) {
        expect(await left.take('changed', low)).toBeGreaterThan(0);
      }
      // What was refused has used up nothing.
      expect(await right.take('changed', high)).toBe(0);
      expect(await right.take('changed', high)).toBe(0);
      expect(await right.take('changed', high)).toBeGreaterThan(0);
    });
  });
}
