import type { InputRequestId, PrincipalId, TaskId } from './brand.ts';
import type {
  AnswerOutcome,
  InputAnswer,
  OwnedInput,
  PendingInput,
  RemoteTask,
} from './input-request.ts';

/** A stream and the task whose questions it asks. */
export interface QuestionLease {
  readonly taskId: TaskId;
  readonly owner: PrincipalId;
  /** UUID. */
  readonly streamId: string;
}

/** How many questions a task has pending. */
export interface HeldQuestions {
  /** Those the stream has, for another while. */
  readonly held: number;
  /** Those that no stream has. */
  readonly free: number;
}

/**
 * What the API does with the questions of running tools. Owner checks are in the statements. A question is
 * pending while its task is open and the task's current attempt waits for it.
 */
export interface InputStore {
  /** Oldest first. */
  pending(taskId: TaskId, owner: PrincipalId): Promise<PendingInput[]>;
  /**
   * Questions of an open task with these keys that nobody has answered, asked by whatever attempt: between
   * two attempts a question is not pending, and its answer must not be lost.
   */
  unanswered(taskId: TaskId, owner: PrincipalId, keys: readonly string[]): Promise<PendingInput[]>;
  /** A pending question by the id a legacy client answers it under; null when unknown or answered. */
  find(id: InputRequestId, owner: PrincipalId): Promise<OwnedInput | null>;
  /**
   * Stores answers by key and, when none is open any more, sets the task to working again; one statement,
   * so that whoever reads the task afterwards finds the answered questions gone.
   */
  answer(
    taskId: TaskId,
    owner: PrincipalId,
    answers: ReadonlyMap<string, InputAnswer>,
  ): Promise<AnswerOutcome>;
  /**
   * Gives the task's pending questions to a stream, which alone may send them until it gives them back
   * (`unlease`) or says nothing for `leaseMs`; renews those it has.
   *
   * @returns the questions the stream did not have before
   */
  lease(
    taskId: TaskId,
    owner: PrincipalId,
    streamId: string,
    leaseMs: number,
  ): Promise<PendingInput[]>;
  /**
   * Renews what streams have leased, all of them at once.
   * @returns one answer per lease, in their order
   */
  renewLeases(leases: readonly QuestionLease[], leaseMs: number): Promise<HeldQuestions[]>;
  /** Gives back what a stream has leased: its connection has ended. */
  unlease(streamId: string): Promise<void>;
  /**
   * What became of questions that a stream has put to its client; those that are left out are still open.
   * `withdrawn`: they timed out, or their task ended before the client had answered.
   */
  settled(
    taskId: TaskId,
    owner: PrincipalId,
    ids: readonly InputRequestId[],
  ): Promise<ReadonlyMap<InputRequestId, 'answered' | 'withdrawn'>>;
  /** Notes the task a legacy client made of a question, or its newest status. @returns false when it is not pending */
  setRemoteTask(id: InputRequestId, owner: PrincipalId, remote: RemoteTask): Promise<boolean>;
}
