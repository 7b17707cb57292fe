import type { PrincipalId, WorkerId } from './brand.ts';

/** A queue or a tool of which nothing new is to start. */
export interface Pause {
  readonly kind: 'queue' | 'tool';
  readonly name: string;
}

export interface Paused {
  readonly pauses: readonly Pause[];
  /** The worker that asks is to take nothing new. */
  readonly isDraining: boolean;
}

/** What operators have stopped from starting. What runs goes on. */
export interface PauseStore {
  /** @param worker who asks; null: no worker does */
  read(worker: WorkerId | null): Promise<Paused>;
  pause(pause: Pause, by: PrincipalId): Promise<void>;
  resume(pause: Pause): Promise<void>;
  /**
   * Says whether a worker is to take nothing new.
   * @returns false when there is no such worker
   */
  setDraining(worker: WorkerId, isDraining: boolean): Promise<boolean>;
}
