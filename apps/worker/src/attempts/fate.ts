/** What becomes of a task that came with a job, or of one whose attempt is over. */
export type Fate =
  /** It runs, or needs no job any more. */
  | { readonly kind: 'done' }
  /** Come back to it in `delayMs` milliseconds. */
  | { readonly kind: 'again'; readonly delayMs: number }
  /** Another worker may have what this one lacks. */
  | { readonly kind: 'pass_on' }
  /** Its limits leave no room: it waits for its turn. */
  | { readonly kind: 'no_slot' };

export const DONE: Fate = { kind: 'done' };
export const PASS_ON: Fate = { kind: 'pass_on' };
export const again = (delayMs: number): Fate => ({ kind: 'again', delayMs });
