/** A source of numbers that are the same for the same seed, on every machine. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  pick<T>(values: readonly T[]): T;
  /** By weight: `{ often: 3, seldom: 1 }`. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K;
}

/** mulberry32 (Tommy Ettinger, public domain): 32 bits of state, more than enough for a schedule. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  const pick = <T>(values: readonly T[]): T => {
    const value = values[int(0, values.length - 1)];
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  };
  const weighted = <K extends string>(weights: Readonly<Record<K, number>>): K => {
    const entries = Object.entries<number>(weights);
    const total = entries.reduce((sum, [, weight]) => sum + weight, 0);
    let left = next() * total;
    let [found] = Object.keys(weights);
    for (const [key, weight] of entries) {
      found = key;
      left -= weight;
      if (left < 0) break;
    }
    // A key of `weights`, whose type Object.entries forgets.
    return found as K;
  };
  return { next, int, pick, weighted };
}
