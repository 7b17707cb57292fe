import { type BusMessage, isTerminal, type Task } from '@longshore/core';
import {
  type JsonRpcNotification,
  legacyStatus,
  progressNotification,
  taskStatusNotification,
} from '@longshore/protocol';

type ProgressMessage = Extract<BusMessage, { kind: 'progress' }>;

/**
 * Turns what is heard of one task into notifications for one stream: progress only while it grows and
 * until the task ends, status only when it changed.
 */
export class TaskNotices {
  readonly #pollIntervalMs: number;
  readonly #related: boolean;
  #lastProgress = Number.NEGATIVE_INFINITY;
  #lastStatus: string | null = null;
  #ended = false;

  /** @param options.related true for task-augmented calls: their messages name the task */
  constructor(options: { pollIntervalMs: number; related: boolean }) {
    this.#pollIntervalMs = options.pollIntervalMs;
    this.#related = options.related;
  }

  /** @returns null when the client gave no token, or knows as much already */
  progress(message: ProgressMessage): JsonRpcNotification | null {
    if (this.#ended || message.token === null || message.progress <= this.#lastProgress)
      return null;
    this.#lastProgress = message.progress;
    return progressNotification({
      token: message.token,
      progress: message.progress,
      total: message.total,
      message: message.message,
      taskId: this.#related ? message.taskId : null,
    });
  }

  /** @returns null when status and message are as they were */
  status(task: Task): JsonRpcNotification | null {
    if (this.#ended) return null;
    const status = `${legacyStatus(task)} ${task.statusMessage ?? ''}`;
    const changed = status !== this.#lastStatus;
    this.#lastStatus = status;
    if (isTerminal(task)) this.#ended = true;
    return changed ? taskStatusNotification(task, this.#pollIntervalMs) : null;
  }

  /** The client knows this state already, from an answer it got. */
  assume(task: Task): void {
    this.#lastStatus = `${legacyStatus(task)} ${task.statusMessage ?? ''}`;
    if (isTerminal(task)) this.#ended = true;
  }
}
