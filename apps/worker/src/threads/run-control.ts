import type { AbortReason } from '../run/running-attempt.ts';

/*
 * Words that both threads of a run share, for what can not wait until the tool lets go of its event loop.
 */

/** Messages of the run that the worker has not dealt with yet. */
const UNREAD = 0;
/** 0, or why the run is to stop: a place in REASONS, counted from 1. */
const STOP = 1;

const REASONS: readonly AbortReason[] = ['cancelled', 'timeout', 'deadline', 'lost', 'drain'];

/** A run that has so many messages unread waits: a tool in a loop would fill the worker's memory. */
const MAX_UNREAD = 1_000;

/** How soon a run that waits sees that it is to stop. */
const LOOK_MS = 50;

export function createControl(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

export function orderStop(control: Int32Array, why: AbortReason): void {
  Atomics.store(control, STOP, REASONS.indexOf(why) + 1);
}

/** Null while the run may go on. */
export function orderedStop(control: Int32Array): AbortReason | null {
  return REASONS[Atomics.load(control, STOP) - 1] ?? null;
}

/** For the worker: it has dealt with one message. */
export function countRead(control: Int32Array): void {
  Atomics.sub(control, UNREAD, 1);
  Atomics.notify(control, UNREAD);
}

/** For the run, which stands still while too many of its messages are unread, unless it is to stop. */
export function countSent(control: Int32Array): void {
  let unread = Atomics.add(control, UNREAD, 1) + 1;
  while (unread > MAX_UNREAD && orderedStop(control) === null) {
    Atomics.wait(control, UNREAD, unread, LOOK_MS);
    unread = Atomics.load(control, UNREAD);
  }
}
