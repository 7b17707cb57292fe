import type { InputQuestion, JsonObject, Outcome, Task } from '@longshore/core';
import { outcomeErrorToWire } from '../shared/error-to-wire.ts';

export type ModernTaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** In the tasks extension only a JSON-RPC error is a failed task; a result with `isError` completed. */
export function modernStatus(task: Task): ModernTaskStatus {
  if (task.state !== 'finished') return task.state;
  return task.outcomeKind === 'error' ? 'failed' : 'completed';
}

/**
 * The Task object of the extension. Clients get no progress notifications for tasks, so the latest progress
 * stands in for a status message while there is none.
 *
 * @param pollIntervalMs suggested to the client
 */
export function modernTask(task: Task, pollIntervalMs: number): JsonObject {
  const statusMessage = task.statusMessage ?? progressMessage(task);
  return {
    taskId: task.id,
    status: modernStatus(task),
    ...(statusMessage === null ? {} : { statusMessage }),
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: task.updatedAt.toISOString(),
    ttlMs: task.ttlMs,
    pollIntervalMs,
  };
}

/**
 * DetailedTask: what tasks/get answers (through `completeResult`) and notifications/tasks carries.
 *
 * @param outcome of the same row as the task; there when the task is finished
 * @param questions all that are open; looked at only while the task waits for input
 * @see 2026-07-28 extension io.modelcontextprotocol/tasks, GetTaskResult
 */
export function detailedTask(
  task: Task,
  outcome: Outcome | null,
  questions: readonly InputQuestion[],
  pollIntervalMs: number,
): JsonObject {
  const wire = modernTask(task, pollIntervalMs);
  if (task.state === 'input_required') return { ...wire, inputRequests: inputRequests(questions) };
  if (task.state !== 'finished') return wire;
  if (outcome === null) throw new Error(`task ${task.id} is finished and has no outcome`);
  if (outcome.kind === 'result') {
    // What tools/call would have answered: the extension's own client refuses one without its type.
    return { ...wire, result: { ...outcome.result, resultType: 'complete' } };
  }
  const { code, message, data } = outcomeErrorToWire(outcome.error, 'modern');
  return {
    ...wire,
    statusMessage: task.statusMessage ?? message,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  };
}

/** Questions by key, as tasks/get and `input_required` results list them. */
export function inputRequests(questions: readonly InputQuestion[]): JsonObject {
  return Object.fromEntries(questions.map(({ key, method, params }) => [key, { method, params }]));
}

/** Such as `3/10 pages`; null once the task has ended, when it says nothing any more. */
function progressMessage(task: Task): string | null {
  if (task.progress === null || (task.state !== 'working' && task.state !== 'input_required')) {
    return null;
  }
  const { progress, total, message } = task.progress;
  const done = total === null ? String(progress) : `${progress}/${total}`;
  return message === null ? done : `${done} ${message}`;
}
