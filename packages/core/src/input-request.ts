import type { InputRequestId, TaskId, WorkerId } from './brand.ts';
import type { JsonObject } from './json.ts';
import type { Task } from './task.ts';

/** What a running tool may ask its client. */
export type InputMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** A question as a tool asks it. */
export interface InputQuestion {
  /** Unique over the life of the task; the same key with the same content is the same question. */
  readonly key: string;
  readonly method: InputMethod;
  /** Params of the request, as both eras send them. */
  readonly params: JsonObject;
}

/**
 * A task the client made of a question (2025-11-25 client-hosted tasks): its answer is fetched from there.
 */
export interface RemoteTask {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly pollIntervalMs: number;
}

/** A question that waits for its answer. */
export interface PendingInput extends InputQuestion {
  /** UUID, the JSON-RPC id of the request a legacy client gets. */
  readonly id: InputRequestId;
  /** Place in the task's history (`task_events.id`), as decimal text. */
  readonly eventId: string;
  readonly remoteTask: RemoteTask | null;
}

/** How a question ended. */
export type InputAnswer =
  /** What the client sent: an ElicitResult, CreateMessageResult or ListRootsResult that fits the question. */
  | { readonly kind: 'result'; readonly result: JsonObject }
  /** The client answered with a JSON-RPC error, such as a user who refused sampling. */
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** The client's answer does not fit the question; says why. */
  | { readonly kind: 'invalid'; readonly problem: string }
  /** Nobody answered in time. */
  | { readonly kind: 'timeout' };

/** What became of one question of an `ask`. */
export type AskedInput =
  | { readonly kind: 'asked' }
  /** An earlier attempt asked the same, and this is the answer. */
  | { readonly kind: 'answered'; readonly answer: InputAnswer }
  /** The key belongs to a question of other content. */
  | { readonly kind: 'conflict' };

export type AnswerOutcome =
  | { readonly kind: 'not_found' }
  | {
      readonly kind: 'answered';
      readonly task: Task;
      /** Keys that were open and are answered now; unknown and answered ones are left out. */
      readonly keys: readonly string[];
      /** Questions of the task that are still open. */
      readonly remaining: number;
      /** Who waits for the answers; null when nobody runs the task. */
      readonly workerId: WorkerId | null;
    };

/** A question with the task it belongs to. */
export interface OwnedInput {
  readonly taskId: TaskId;
  readonly input: PendingInput;
}
