import { LongshoreError, type PrincipalId, type TaskStore } from '@longshore/core';
import { LRUCache } from 'lru-cache';

/** How old a count may get: other processes accept tasks too, and workers take some. */
const FRESH_MS = 5_000;
/** How long a principal is refused without counting again. */
const FULL_MS = 1_000;
const MAX_KEPT = 10_000;

/** What is known of one principal. */
interface Room {
  /** What the last count was for, when it was, and whether it found no room. */
  limit: number;
  countedAt: number;
  isFull: boolean;
  /** Tasks that may be accepted before the next count. */
  left: number;
  /** Tasks that are being accepted: whether a count has seen them nobody knows. */
  accepting: number;
  counting: Promise<void> | null;
  readonly onIdle: (() => void)[];
}

/**
 * Keeps the tasks of a principal that wait for a worker below its limit.
 *
 * They are counted in the database, and half the room that is left is given out before they are counted again,
 * so that a principal far from its limit costs one small statement every 5 s, and none per task. A refusal is
 * always by a count that saw everything this process accepted. So one process keeps the limit exactly; with
 * several it can be exceeded by what the others are accepting at that moment, each within the room it saw.
 */
export class WaitingTasks {
  readonly #tasks: Pick<TaskStore, 'countWaiting'>;
  readonly #now: () => number;
  readonly #rooms = new LRUCache<PrincipalId, Room>({ max: MAX_KEPT });

  /** @param options.now milliseconds that only go forward */
  constructor(options: { tasks: Pick<TaskStore, 'countWaiting'>; now?: () => number }) {
    this.#tasks = options.tasks;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Takes room for a task.
   *
   * @param limit 0: no limit
   * @returns to be called when the task was accepted, or was not
   * @throws {LongshoreError} TOO_MANY_TASKS · DATABASE_UNAVAILABLE
   */
  async take(owner: PrincipalId, limit: number): Promise<() => void> {
    if (limit === 0) return () => {};
    const room = this.#room(owner);
    for (;;) {
      const ageMs = this.#now() - room.countedAt;
      const isKnown = room.counting === null && room.limit === limit;
      if (isKnown && room.isFull && ageMs < FULL_MS) throw full(limit);
      if (isKnown && room.left > 0 && ageMs < FRESH_MS) return accept(room);
      room.counting ??= this.#count(owner, room, limit).finally(() => {
        room.counting = null;
      });
      await room.counting;
    }
  }

  /** Nobody gets room meanwhile, so what is being accepted only gets less. */
  async #count(owner: PrincipalId, room: Room, limit: number): Promise<void> {
    room.left = 0;
    for (;;) {
      const { accepting } = room;
      const free = limit - (await this.#tasks.countWaiting(owner, limit)) - accepting;
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

  #room(owner: PrincipalId): Room {
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

function full(limit: number): LongshoreError {
  return new LongshoreError(
    'TOO_MANY_TASKS',
    `${limit} tasks are waiting for a worker, the limit: try again when some have begun`,
    { details: { retryAfterMs: FULL_MS } },
  );
}
