import type { EventCursor, Logger, PrincipalId, TaskId, TaskStore } from '@longshore/core';
import { type JsonRpcNotification, logNotification } from '@longshore/protocol';

const PAGE_SIZE = 100;

/** Sends what a row logs for its client, in order and each message once. */
export class LogFeed {
  readonly #tasks: TaskStore;
  readonly #log: Logger;
  readonly #taskId: TaskId;
  readonly #owner: PrincipalId;
  readonly #send: (message: JsonRpcNotification) => void;
  #after: EventCursor;
  #reading: Promise<void> = Promise.resolve();
  /** Readings that wait for the one under way: one is enough for all messages that came meanwhile. */
  #waiting: Promise<void> | null = null;

  /** @param options.after where earlier rounds of the request ended */
  constructor(options: {
    tasks: TaskStore;
    log: Logger;
    taskId: TaskId;
    owner: PrincipalId;
    after: EventCursor;
    send: (message: JsonRpcNotification) => void;
  }) {
    this.#tasks = options.tasks;
    this.#log = options.log;
    this.#taskId = options.taskId;
    this.#owner = options.owner;
    this.#after = options.after;
    this.#send = options.send;
  }

  /** Where it has come to. */
  get after(): EventCursor {
    return this.#after;
  }

  /** Resolves when everything logged before the call was sent. Never rejects. */
  readOn(): Promise<void> {
    this.#waiting ??= this.#reading.then(() => {
      this.#waiting = null;
      this.#reading = this.#read();
      return this.#reading;
    });
    return this.#waiting;
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        const page = await this.#tasks.logs(this.#taskId, this.#owner, this.#after, PAGE_SIZE);
        for (const { id, level, logger, data } of page) {
          this.#send(logNotification({ level, logger, data, taskId: null }));
          this.#after = id;
        }
        if (page.length < PAGE_SIZE) return;
      }
    } catch (error) {
      this.#log.warn({ taskId: this.#taskId, err: error }, 'log messages could not be read');
    }
  }
}
