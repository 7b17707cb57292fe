import { LongshoreError, type Outcome, type OutcomeError, type TaskId } from '@longshore/core';
import { relatedTask } from '@longshore/protocol';

/** A stored JSON-RPC error on its way back to the client, as the request produced it. */
export class StoredOutcomeError extends Error {
  override readonly name = 'StoredOutcomeError';
  readonly error: OutcomeError;

  constructor(error: OutcomeError) {
    super(error.message);
    this.error = error;
  }
}

/**
 * The result of an ended task.
 * @throws {LongshoreError} TASK_CANCELLED when it has none
 * @throws {StoredOutcomeError} when the outcome is an error
 */
export function resultOf(taskId: TaskId, outcome: Outcome | null) {
  if (outcome === null) {
    throw new LongshoreError('TASK_CANCELLED', 'Task cancelled', {
      details: { _meta: relatedTask(taskId) },
    });
  }
  if (outcome.kind === 'error') throw new StoredOutcomeError(outcome.error);
  return outcome.result;
}
