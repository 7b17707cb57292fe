import type { End } from '../clients/end.ts';
import type { CancelAnswer } from '../clients/task-api.ts';
import type { PlannedTask } from '../plan/task-plan.ts';

/*
 * What the checks look at: plain data, so that tests can plant what must never be. Instants are milliseconds
 * since 1970, of the one machine that everything runs on.
 */

/** A task whose client has its id. */
export interface AcknowledgedTask {
  readonly plan: PlannedTask;
  readonly taskId: string;
  /** Null: its client never sent a cancellation, or got no answer to it. */
  readonly cancel: { readonly answer: CancelAnswer; readonly atMs: number } | null;
  /** How it ended, as its client saw it during the run; null: it never saw an end. */
  readonly seen: End | null;
  /** How it stands when everything is settled, by another request; null: it has not ended. */
  readonly final: End | null;
}

/** A plain call; its client stays until it has the answer. */
export interface HeldCall {
  readonly plan: PlannedTask;
  /** Null: never answered. */
  readonly end: End | null;
}

export interface RefusedCall {
  readonly plan: PlannedTask;
  readonly end: End;
}

export interface TaskRow {
  readonly id: string;
  /** As the plans name principals; null: of nobody this run knows. */
  readonly principal: number | null;
  readonly state: string;
  readonly outcomeKind: string | null;
  readonly attempt: number;
  readonly failures: number;
  readonly lost: number;
  readonly maxAttempts: number;
  readonly finishedAtMs: number | null;
  readonly hasResult: boolean;
  readonly tool: string;
  /** The argument that no two planned tasks share. */
  readonly value: number | null;
}

export interface EventRow {
  readonly taskId: string;
  readonly kind: string;
  readonly attempt: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface RedisKey {
  readonly key: string;
  /** Milliseconds; null: for ever. */
  readonly ttlMs: number | null;
}

/** What a run uses, at its start and at its end. */
export interface Usage {
  readonly postgresConnections: number;
  readonly redisConnections: number;
  /** Resident memory in MiB, by name of the process. */
  readonly rssMiB: Readonly<Record<string, number>>;
}

/** A task as somebody asked for it who does not own it, or who lists what is his. */
export interface ForeignLook {
  readonly taskId: string;
  readonly owner: number | null;
  readonly by: number;
  /** What he was shown. */
  readonly end: End | null;
  readonly how: 'get' | 'list';
}

export interface Evidence {
  readonly tasks: readonly AcknowledgedTask[];
  readonly held: readonly HeldCall[];
  readonly refused: readonly RefusedCall[];
  readonly rows: readonly TaskRow[];
  /** In the order of their ids, per task. */
  readonly events: readonly EventRow[];
  /** Results, checkpoints and questions of tasks that are not there. */
  readonly orphans: readonly { readonly table: string; readonly taskId: string }[];
  /** By task: the names of the files its tool left. */
  readonly effects: ReadonlyMap<string, readonly string[]>;
  readonly redisKeys: readonly RedisKey[];
  readonly before: Usage;
  readonly after: Usage;
  readonly looks: readonly ForeignLook[];
  /**
   * Processes that ended without being told to, or did not end when they were; calls that no API took when all
   * was well again; answers that clients did not understand.
   */
  readonly misbehaved: readonly string[];
}

/** What must never be. */
export interface Violation {
  /** Name of the check. */
  readonly check: string;
  /** Whom it is about: a task, a key, a process. */
  readonly subject: string;
  readonly problem: string;
}
