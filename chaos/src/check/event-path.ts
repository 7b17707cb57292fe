import type { EventRow } from './evidence.ts';

/** What the events of a task add up to. */
export interface PathTotals {
  readonly attempt: number;
  readonly failures: number;
  /**
   * Leases that were taken over, whether or not their worker lived, and that of a task which ended without its worker: it
   * may have been over, and counted by whoever found no queue to add the job to (`unadmit`).
   */
  readonly lost: number;
  /** Kinds of the terminal events, in their order: one, on a legal path. */
  readonly ends: readonly string[];
  /** Reason of an end that maintenance made, such as TASK_ABANDONED. */
  readonly reason: string | null;
}

interface PathState {
  /** The latest attempt. */
  attempt: number;
  isClaimed: boolean;
  failures: number;
  lost: number;
  ends: string[];
  reason: string | null;
  readonly asked: Set<string>;
}

/** The state machine over a task's events. @returns what is wrong with the event, or null */
type Step = (state: PathState, event: EventRow) => string | null;

/** Only the attempt that holds the task writes these. */
const ofHolder =
  (then: (state: PathState, event: EventRow) => string | null): Step =>
  (state, event) => {
    if (!state.isClaimed) return 'nobody holds the task';
    if (event.attempt !== state.attempt) return `attempt ${state.attempt} holds the task`;
    return then(state, event);
  };

const keyOf = (event: EventRow): string => String(event.data['key']);

const answered: Step = (state, event) =>
  state.asked.delete(keyOf(event)) ? null : `question ${keyOf(event)} is not open`;

const STEPS: Readonly<Record<string, Step>> = {
  started: (state, { attempt }) => {
    if (attempt !== state.attempt + 1) return `attempt ${state.attempt} was the one before`;
    if (state.isClaimed) state.lost += 1;
    state.attempt += 1;
    state.isClaimed = true;
    return null;
  },
  retried: ofHolder((state) => {
    state.isClaimed = false;
    state.failures += 1;
    return null;
  }),
  released: ofHolder((state) => {
    state.isClaimed = false;
    return null;
  }),
  input_asked: ofHolder((state, event) => {
    if (state.asked.has(keyOf(event))) return `question ${keyOf(event)} is open already`;
    state.asked.add(keyOf(event));
    return null;
  }),
  // A question outlives its attempt: the answer may come when another one, or none, holds the task.
  input_answered: answered,
  input_timed_out: answered,
  log: ofHolder(() => null),
  cancelled: (state, { attempt }) => {
    if ((attempt ?? 0) !== state.attempt) return `attempt ${state.attempt} was the latest`;
    if (state.isClaimed) state.lost += 1;
    state.ends.push('cancelled');
    return null;
  },
  finished: (state, event) => {
    const { reason = null } = event.data;
    // Maintenance ends tasks that nobody holds, too.
    const byWorker = reason === null;
    if (byWorker && !state.isClaimed) return 'nobody holds the task';
    if (!byWorker && state.isClaimed) state.lost += 1;
    if ((event.attempt ?? 0) !== state.attempt) return `attempt ${state.attempt} was the latest`;
    state.ends.push('finished');
    state.reason = reason === null ? null : String(reason);
    return null;
  },
};

/**
 * Walks the events of one task.
 *
 * @param events in the order of their ids
 * @returns what they add up to, and what is illegal about them
 */
export function walkEvents(events: readonly EventRow[]): {
  readonly totals: PathTotals;
  readonly problems: readonly string[];
} {
  const state: PathState = {
    attempt: 0,
    isClaimed: false,
    failures: 0,
    lost: 0,
    ends: [],
    reason: null,
    asked: new Set(),
  };
  const problems: string[] = [];
  for (const [index, event] of events.entries()) {
    const name = `event ${index + 1} (${event.kind}${event.attempt === null ? '' : ` ${event.attempt}`})`;
    if ((event.kind === 'created') !== (index === 0)) {
      problems.push(`${name}: a history begins with created, once`);
      continue;
    }
    if (index === 0) continue;
    if (state.ends.length > 0) problems.push(`${name}: the task had ended`);
    const step = STEPS[event.kind];
    const problem = step === undefined ? 'no such kind' : step(state, event);
    if (problem !== null) problems.push(`${name}: ${problem}`);
  }
  return { totals: state, problems };
}
