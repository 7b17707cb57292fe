/** Chance that can be had again: the same seed gives the same values. */
export interface SeededRandom {
  readonly seed: number;
  /** An integer from 0 up to, not including, `below`. */
  int(below: number): number;
  /** True `ratio` of the time, 0 to 1. */
  chance(ratio: number): boolean;
  pick<T>(list: readonly T[]): T;
  bytes(length: number): Buffer;
}

/**
 * The seed of this run: that of the environment, so that a failed run can be had again, else a new one.
 * It is printed either way.
 *
 * @param what is seeded, for the output
 */
export function chooseSeed(what: string): number {
  const given = Number(process.env['FUZZ_SEED'] ?? Number.NaN);
  const seed = Number.isInteger(given) ? given : Math.floor(Math.random() * 2 ** 31);
  process.stdout.write(`${what}: FUZZ_SEED=${seed} gives this run again\n`);
  return seed;
}

/** Mulberry32: small, even enough, and the same everywhere. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    seed,
    int,
    chance: (ratio) => next() < ratio,
    pick: <T>(list: readonly T[]): T => {
      if (list.length === 0) throw new RangeError('nothing to pick from');
      return list[int(list.length)] as T;
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
  };
}
