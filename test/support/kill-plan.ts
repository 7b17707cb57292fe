import { type SeededRandom, seededRandom } from './seeded-random.ts';

/** One moment of a schedule at which workers are killed. */
export interface Kill {
  /** How many runs of items there have been by then. */
  readonly afterRuns: number;
  /** `holder`: the worker that has the batch's own task; `other`: one that has not; `all`: every worker. */
  readonly who: 'holder' | 'other' | 'all';
  /** Which one, where there is a choice: taken modulo their number. */
  readonly pick: number;
  /** Redis loses all it has in the same moment. */
  readonly emptiesRedis: boolean;
}

/** A task that lost five workers is given up, as documented: the batch's own loses four at most. */
const HOLDER_KILLS = ['all', 'holder', 'holder'] as const;

/** Items per kill, but for those that every schedule has. */
const ITEMS_PER_KILL = 2_500;

/** The same seed and count give the same kills, spread over the whole batch; Redis is emptied at one of them. */
export function planKills(seed: number, items: number): Kill[] {
  const random = seededRandom(seed);
  const others = Array.from({ length: Math.round(items / ITEMS_PER_KILL) }, () => 'other' as const);
  const kinds = shuffled([...HOLDER_KILLS, ...others], random);
  const flush = random.int(kinds.length);
  const stretch = items / (kinds.length + 1);
  return kinds.map((who, index) => ({
    afterRuns: Math.floor(stretch * index) + 1 + random.int(Math.floor(stretch)),
    who,
    pick: random.int(1_000),
    emptiesRedis: index === flush,
  }));
}

function shuffled<T>(list: readonly T[], random: SeededRandom): T[] {
  const left = [...list];
  return list.flatMap(() => left.splice(random.int(left.length), 1));
}
