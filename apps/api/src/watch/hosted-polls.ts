import type { InputRequestId, PendingInput } from '@longshore/core';
import {
  hostedTaskResultRequest,
  hostedTaskStatusRequest,
  type ServerMessage,
} from '@longshore/protocol';

/**
 * Fetches the answers that a client works on as tasks of its own: asks for their status at the client's
 * poll interval, and for the result of one that is completed. What the client says goes to the database,
 * on whatever replica it arrives (`legacy/posted-response.ts`), and comes back with `watch`.
 *
 * @see 2025-11-25 basic/utilities/tasks, tasks of a client
 */
export class HostedPolls {
  readonly #send: (message: ServerMessage) => void;
  readonly #timers = new Map<InputRequestId, NodeJS.Timeout>();
  readonly #fetched = new Set<InputRequestId>();
  #lastNumber = 0;

  constructor(send: (message: ServerMessage) => void) {
    this.#send = send;
  }

  /** To be called with the latest that is known of a question; without a task of the client's it is left alone. */
  watch(question: PendingInput): void {
    const { id, remoteTask } = question;
    this.#stop(id);
    if (remoteTask === null || this.#fetched.has(id)) return;
    if (remoteTask.status === 'completed') {
      this.#fetched.add(id);
      this.#send(hostedTaskResultRequest(question, remoteTask.taskId));
      return;
    }
    const timer = setInterval(() => {
      this.#send(hostedTaskStatusRequest(question, remoteTask.taskId, this.#nextNumber()));
    }, remoteTask.pollIntervalMs).unref();
    this.#timers.set(id, timer);
  }

  forget(id: InputRequestId): void {
    this.#stop(id);
    this.#fetched.delete(id);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearInterval(timer);
    this.#timers.clear();
  }

  #stop(id: InputRequestId): void {
    clearInterval(this.#timers.get(id));
    this.#timers.delete(id);
  }

  /** Requests of one session never share an id, also when another stream has asked before. */
  #nextNumber(): number {
    this.#lastNumber = Math.max(this.#lastNumber + 1, Date.now());
    return this.#lastNumber;
  }
}
