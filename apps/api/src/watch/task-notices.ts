import {
  type BusMessage,
  isTerminal,
  type Progress,
  type ProgressToken,
  type Task,
  type TaskId,
} from '@longshore/core';
import {
  type JsonRpcNotification,
  type LegacyTaskDisplay,
  legacyStatus,
  progressNotification,
  taskStatusNotification,
} from '@longshore/protocol';

type ProgressMessage = Extract<BusMessage, { kind: 'progress' }>;

/** What a beat adds to the progress, which must grow with each notification: less than any tool counts in. */
const BEAT_STEP = 1e-6;

/**
 * Turns what is heard of one task into notifications for one stream: progress only while it grows and
 * until the task ends, status only when it changed.
 */
export class TaskNotices {
  readonly #display: LegacyTaskDisplay;
  readonly #related: boolean;
  #lastProgress = Number.NEGATIVE_INFINITY;
  #lastTotal: number | null = null;
  #lastMessage: string | null = null;
  #lastStatus: string | null = null;
  #ended = false;

  /** @param options.related true for task-augmented calls: their messages name the task */
  constructor(options: { display: LegacyTaskDisplay; related: boolean }) {
    this.#display = options.display;
    this.#related = options.related;
  }

  /**
   * @param token of whoever waits; the one of the call that made the task unless said
   * @returns null when the client gave no token, or knows as much already
   */
  progress(
    message: ProgressMessage,
    token: ProgressToken | null = message.token,
  ): JsonRpcNotification | null {
    if (this.#ended || token === null || !this.#advance(message)) return null;
    return this.#progress(message.taskId, token, false);
  }

  /**
   * The row's progress when it has more than was told, else the last one once more, a trifle higher: for a client that
   * gives up on a call it hears nothing of.
   *
   * @param current as the row has it; null: not known
   * @returns null when the client gave no token, or the task has ended
   */
  beat(
    taskId: TaskId,
    token: ProgressToken | null,
    current: Progress | null,
  ): JsonRpcNotification | null {
    if (this.#ended || token === null) return null;
    if (current !== null && this.#advance(current)) return this.#progress(taskId, token, false);
    const last = this.#lastProgress;
    this.#lastProgress = Number.isFinite(last) ? last + BEAT_STEP * Math.max(1, Math.abs(last)) : 0;
    return this.#progress(taskId, token, true);
  }

  /** @returns null when status and message are as they were */
  status(task: Task): JsonRpcNotification | null {
    if (this.#ended) return null;
    const status = `${legacyStatus(task)} ${task.statusMessage ?? ''}`;
    const changed = status !== this.#lastStatus;
    this.#lastStatus = status;
    if (isTerminal(task)) this.#ended = true;
    return changed ? taskStatusNotification(task, this.#display) : null;
  }

  /** The client knows this state already, from an answer it got. */
  assume(task: Task): void {
    this.#lastStatus = `${legacyStatus(task)} ${task.statusMessage ?? ''}`;
    if (isTerminal(task)) this.#ended = true;
  }

  /** @returns whether the client did not know as much */
  #advance({ progress, total, message }: Progress): boolean {
    if (progress <= this.#lastProgress) return false;
    this.#lastProgress = progress;
    this.#lastTotal = total;
    this.#lastMessage = message;
    return true;
  }

  #progress(taskId: TaskId, token: ProgressToken, isBeat: boolean): JsonRpcNotification {
    return progressNotification({
      token,
      progress: this.#lastProgress,
      total: this.#lastTotal,
      message: this.#lastMessage,
      taskId: this.#related ? taskId : null,
      isBeat,
    });
  }
}
