import { describe, expect, it } from '@jest/globals';
import { countRuns, type RunMark } from '../src/runs.ts';

const KILLED = 1;
const OTHER = 2;

/** A run of an item: where, of which chunk, from when to when in milliseconds; null: it did not end. */
const run = (
  pid: number,
  chunk: string,
  item: string,
  [beganMs, endedMs]: readonly [number, number | null],
): RunMark[] => [
  { pid, chunk, item, event: 'begin', atMs: beganMs },
  ...(endedMs === null ? [] : [{ pid, chunk, item, event: 'end', atMs: endedMs } as const]),
];

const counted = (...runs: readonly RunMark[][]) => countRuns(runs.flat(), KILLED);

describe('countRuns', () => {
  it('counts items that ran twice, as far as they may', () => {
    expect(
      counted(
        run(OTHER, 'x', 'x1', [0, 40]),
        run(KILLED, 'a', 'a1', [0, 30]),
        run(KILLED, 'a', 'a2', [200, 250]),
        run(KILLED, 'a', 'a3', [251, 299]),
        run(KILLED, 'a', 'a4', [300, null]),
        run(OTHER, 'a', 'a3', [900, 930]),
        run(OTHER, 'a', 'a4', [930, 960]),
        run(OTHER, 'a', 'a5', [960, 990]),
      ),
    ).toEqual({
      items: 6,
      runs: 8,
      workers: 2,
      repeated: 2,
      chunks: 1,
      allowed: 3,
      problems: [],
    });
  });

  it('allows the one item that was under way, however long it took', () => {
    const ran = counted(
      run(KILLED, 'a', 'a1', [0, 500]),
      run(KILLED, 'a', 'a2', [500, null]),
      run(OTHER, 'a', 'a2', [9_000, 9_500]),
    );
    expect(ran).toMatchObject({ repeated: 1, allowed: 1, problems: [] });
  });

  it('finds an item that ran again though what came of it must have been saved', () => {
    const ran = counted(
      run(KILLED, 'a', 'a1', [0, 60]),
      run(KILLED, 'a', 'a2', [60, 120]),
      run(KILLED, 'a', 'a3', [120, null]),
      run(OTHER, 'a', 'a1', [900, 960]),
      run(OTHER, 'a', 'a2', [960, 990]),
      run(OTHER, 'a', 'a3', [990, 999]),
    );
    expect(ran.problems).toEqual(['chunk a repeated 1 items that must have been saved']);
  });

  it.each([
    ['twice at a worker that lived', [OTHER, OTHER]],
    ['twice at the killed one', [KILLED, KILLED]],
    ['three times', [KILLED, OTHER, 3]],
  ])('finds an item that ran %s', (_what, pids) => {
    const { problems } = counted(...pids.map((pid) => run(pid, 'a', 'a1', [0, 1])));
    expect(problems).toEqual([`a1 ran ${pids.length} times, at the workers ${pids.join(', ')}`]);
  });
});
