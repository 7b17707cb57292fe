import type { LongshoreError } from '@longshore/core';
import { LRUCache } from 'lru-cache';

/** How old a count may get: other processes add to it too, and things end. */
const FRESH_MS = 5_000;
/** How long an owner is refused without counting again. */
const FULL_MS = 1_000;
const MAX_KEPT = 10_000;

/** What is known of one owner. */
interface Room {
  /** What the last count was for, when it was, and whether it found no room. */
  limit: number;
  countedAt: number;
  isFull: boolean;
  /** How many may be added before the next count. */
  left: number;
  /** Those that are being added: whether a count has seen them nobody knows. */
  accepting: number;
  counting: Promise<void> | null;
  readonly onIdle: (() => void)[];
}

interface CountedLimitOptions<Owner extends string> {
  /** Counts in the database what there is of the owner; beyond the limit it need not count. */
  readonly count: (owner: Owner, limit: number) => Promise<number>;
  /** What somebody is told for whom there is no room, and when to try again. */
  readonly refusal: (limit: number, retryAfterMs: number) => LongshoreError;
  /** Milliseconds that only go forward. */
  readonly now?: () => number;
}

/**
 * Keeps what each owner has of something in the database below its limit.
 *
 * It is counted there, and half the room that is left is given out before it is counted again, so that an owner
 * far from its limit costs one small statement every 5 s, and none per addition. A refusal is always by a
 * count that saw everything this process added. So one process keeps the limit exactly; with several it can be
 * exceeded by what the others are adding at that moment, each within the room it saw.
 */
export class CountedLimit<Owner extends string> {
  readonly #options: CountedLimitOptions<Owner>;
  readonly #now: () => number;
  readonly #rooms = new LRUCache<Owner, Room>({ max: MAX_KEPT });

  constructor(options: CountedLimitOptions<Owner>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Takes room for one more.
   *
   * @param limit 0: no limit
   * @returns to be called when it was added, or was not
   * @throws {LongshoreError} `refusal`, and what `count` throws
   */
  async take(owner: Owner, limit: number): Promise<() => void> {
    if (limit === 0) return () => {};
    const room = this.#room(owner);
    for (;;) {
      const ageMs = this.#now() - room.countedAt;
      const isKnown = room.counting === null && room.limit === limit;
      if (isKnown && room.isFull && ageMs < FULL_MS) throw this.#options.refusal(limit, FULL_MS);
      if (isKnown && room.left > 0 && ageMs < FRESH_MS) return accept(room);
      room.counting ??= this.#count(owner, room, limit).finally(() => {
        room.counting = null;
      });
      await room.counting;
    }
  }

  /** Nobody gets room meanwhile, so what is being accepted only gets less. */
  async #count(owner: Owner, room: Room, limit: number): Promise<void> {
    room.left = 0;
    for (;;) {
      const { accepting } = room;
      const free = limit - (await this.#options.count(owner, limit)) - accepting;
      if (free > 0 || accepting === 0) {
        room.limit = limit;
        room.countedAt = this.#now();
        room.isFull = free <= 0;
        room.left = Math.max(0, Math.ceil(free / 2));
        return;
      }
      // They may have been counted twice: nobody is refused for that.
      await idle(room);
    }
  }

  #room(owner: Owner): Room {
    const known = this.#rooms.get(owner);
    if (known !== undefined) return known;
    const room: Room = {
      limit: 0,
      countedAt: Number.NEGATIVE_INFINITY,
      isFull: false,
      left: 0,
      accepting: 0,
      counting: null,
      onIdle: [],
    };
    this.#rooms.set(owner, room);
    return room;
  }
}

function accept(room: Room): () => void {
  room.left -= 1;
  room.accepting += 1;
  return () => {
    room.accepting -= 1;
    if (room.accepting > 0) return;
    for (const resolve of room.onIdle.splice(0)) resolve();
  };
}

function idle(room: Room): Promise<void> {
  return new Promise((resolve) => {
    if (room.accepting === 0) resolve();
    else room.onIdle.push(resolve);
  });
}
