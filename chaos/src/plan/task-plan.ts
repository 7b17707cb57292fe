import type { Era } from '@longshore/core';
import { type Random, seededRandom } from './random.ts';

/**
 * What becomes of a planned task.
 * - `short`, `long`: runs and answers
 * - `retrying`: fails some times first; `failing`: fails for good; `refusing`: ends in a JSON-RPC error
 * - `cancelled`: its client cancels it after a while, which may come too late
 * - `asking`: asks its client
 * - `expiring`: its ttl is over before it ends; `overdue`: its execution deadline is
 * - `held`: a plain call, without a task
 * - `effects`: changes the world step by step and keeps checkpoints of it
 * - `threaded`: runs in a thread of its worker, and goes on from its checkpoint
 */
export type TaskKind =
  | 'short'
  | 'long'
  | 'retrying'
  | 'failing'
  | 'refusing'
  | 'cancelled'
  | 'asking'
  | 'expiring'
  | 'overdue'
  | 'held'
  | 'effects'
  | 'threaded';

export interface PlannedTask {
  /** Place in the plan, from 0; arguments are made of it, so that no two tasks have the same result. */
  readonly index: number;
  /** When its client sends it, in milliseconds from the start of the load. */
  readonly atMs: number;
  readonly kind: TaskKind;
  readonly era: Era;
  /** Who sends it, an index. */
  readonly principal: number;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, number>>;
  /** Null: the server's default. */
  readonly ttlMs: number | null;
  /** How long after the acknowledgement its client cancels it; null: never. */
  readonly cancelAfterMs: number | null;
  /** Under which the call is one and the same however often it is sent; null: each sending is another call. */
  readonly idempotencyKey: string | null;
}

/** Long enough for rows to be read at the end, whatever happened. */
export const KEPT_TTL_MS = 3_600_000;

const WEIGHTS: Readonly<Record<TaskKind, number>> = {
  short: 18,
  long: 16,
  retrying: 10,
  failing: 6,
  refusing: 4,
  cancelled: 12,
  asking: 10,
  expiring: 4,
  overdue: 4,
  held: 10,
  effects: 16,
  threaded: 6,
};

export interface LoadOptions {
  readonly seed: number;
  readonly durationMs: number;
  /** Tasks a second, on average. */
  readonly rate: number;
  readonly principals: number;
  /** The first task's place, for plans that run one after the other; 0 unless said otherwise. */
  readonly firstIndex?: number;
}

/** How many of the calls that may have an idempotency key have one. */
const KEYED_RATIO = 0.5;

/** @returns the same tasks for the same options, in the order of their times */
export function planTasks(options: LoadOptions): PlannedTask[] {
  const random = seededRandom(options.seed);
  const tasks: PlannedTask[] = [];
  for (let atMs = 0; atMs < options.durationMs; ) {
    const index = (options.firstIndex ?? 0) + tasks.length;
    tasks.push(planTask(random, index, Math.round(atMs), options.principals));
    // Arrivals of many independent clients: the pauses between them are exponentially distributed.
    atMs += (-Math.log(1 - random.next()) * 1_000) / options.rate;
  }
  return tasks;
}

function planTask(random: Random, index: number, atMs: number, principals: number): PlannedTask {
  const kind = random.weighted(WEIGHTS);
  // A ttl is a wish that only 2025-11-25 clients can express.
  const era: Era = kind === 'expiring' || random.next() < 0.5 ? 'legacy' : 'modern';
  return {
    index,
    atMs,
    kind,
    era,
    principal: random.int(0, principals - 1),
    ttlMs: era === 'modern' ? null : kind === 'expiring' ? random.int(1_000, 4_000) : KEPT_TTL_MS,
    cancelAfterMs: kind === 'cancelled' ? random.int(0, 4_000) : null,
    idempotencyKey: hasKey(kind, random) ? `chaos-${index}` : null,
    ...workOf(kind, index, random),
  };
}

/** Many steps with progress, or one long sleep. */
function longWork(
  value: number,
  random: Random,
  { steps, sleepMs }: { steps: number; sleepMs: number },
): Pick<PlannedTask, 'tool' | 'arguments'> {
  return random.next() < 0.5
    ? { tool: 'chaos_steps', arguments: { value, steps, stepMs: 100 } }
    : { tool: 'chaos_sleep', arguments: { value, sleepMs } };
}

/** A call that ends with its connection, or is forgotten with its ttl, can not be asked for again. */
function hasKey(kind: TaskKind, random: Random): boolean {
  const wantsKey = random.next() < KEYED_RATIO;
  return wantsKey && kind !== 'held' && kind !== 'expiring';
}

function workOf(
  kind: TaskKind,
  value: number,
  random: Random,
): Pick<PlannedTask, 'tool' | 'arguments'> {
  switch (kind) {
    case 'short':
    case 'held':
      return { tool: 'chaos_answer', arguments: { value } };
    case 'long':
      return longWork(value, random, { steps: random.int(5, 30), sleepMs: random.int(500, 6_000) });
    case 'cancelled':
      return longWork(value, random, { steps: random.int(5, 60), sleepMs: random.int(500, 6_000) });
    case 'retrying':
      return { tool: 'chaos_retry', arguments: { value, failures: random.int(1, 2) } };
    case 'failing':
      return { tool: 'chaos_fail', arguments: { value } };
    case 'refusing':
      return { tool: 'chaos_refuse', arguments: { value } };
    case 'asking':
      return { tool: 'chaos_ask', arguments: { value } };
    case 'expiring':
      return { tool: 'chaos_steps', arguments: { value, steps: 600, stepMs: 100 } };
    case 'overdue':
      return { tool: 'chaos_late', arguments: { value } };
    case 'threaded':
      return { tool: 'chaos_thread', arguments: { value, steps: random.int(2, 20) } };
    case 'effects':
      return {
        tool: 'chaos_effects',
        arguments: { value, steps: random.int(2, 8), stepMs: random.int(20, 300) },
      };
  }
}
