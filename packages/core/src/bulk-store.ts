import type { TaskSearch, TaskSearchPlace } from './operator-store.ts';
import type { Identity } from './principal.ts';

export type BulkVerb = 'cancel' | 'retry';

/** Something that is done to all tasks that a search finds. */
export interface NewBulkAction {
  /** UUID. */
  readonly id: string;
  /** Who wants it. */
  readonly identity: Identity;
  /** What their credential allowed; null: everything. */
  readonly scopes: readonly string[] | null;
  readonly verb: BulkVerb;
  /** Of tasks made before the action. */
  readonly search: TaskSearch;
  /** Tasks it acts on at most. */
  readonly most: number;
}

export interface BulkFailure {
  readonly id: string;
  readonly message: string;
}

export interface BulkAction extends NewBulkAction {
  readonly state: 'running' | 'done' | 'stopped';
  readonly done: number;
  /** Tasks that could not be acted on. */
  readonly failed: number;
  /** Why, the first ones. */
  readonly failures: readonly BulkFailure[];
  /** Where it goes on; null: at the newest. */
  readonly place: TaskSearchPlace | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** How far an action has come with another page. */
export interface BulkStep {
  readonly done: number;
  readonly failed: number;
  readonly failures: readonly BulkFailure[];
  /** Null: nothing is left. */
  readonly place: TaskSearchPlace | null;
}

export interface BulkStore {
  create(action: NewBulkAction): Promise<BulkAction>;
  /** Newest first. @param owner null: of all */
  list(owner: Identity['principalId'] | null, limit: number): Promise<readonly BulkAction[]>;
  /** @param owner null: of anybody */
  find(id: string, owner: Identity['principalId'] | null): Promise<BulkAction | null>;
  /** Whether any is running, and nobody is at it. */
  hasWaiting(): Promise<boolean>;
  /** An action to go on with, for `leaseMs`; null: there is none. */
  take(leaseMs: number): Promise<BulkAction | null>;
  /**
   * Notes a step, and that the action goes on for another `leaseMs`.
   * @returns how it stands now; null: it was stopped, or somebody else has gone on with it
   */
  advance(before: BulkAction, step: BulkStep, leaseMs: number): Promise<BulkAction | null>;
  /** @returns false when it does not run */
  stop(id: string): Promise<boolean>;
}
