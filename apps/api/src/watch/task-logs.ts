import type { EventCursor, LoggedMessage } from '@longshore/core';
import { logNotification, type ServerMessage } from '@longshore/protocol';

/** Log messages read at once. */
export const LOG_PAGE = 100;

/** Where the client is in a task's log. */
export interface LogPlace {
  cursor: EventCursor;
}

/** Sends what a tool logged for its client, in order. */
export class TaskLogs {
  readonly #place: LogPlace;
  readonly #read: () => Promise<readonly LoggedMessage[]>;
  readonly #relatedTo: string | null;
  readonly #send: (message: ServerMessage) => void;

  /**
   * @param options.read the next messages, `LOG_PAGE` at most
   * @param options.place moved on before each message that is sent
   * @param options.relatedTo id of the task, when the client has its handle
   */
  constructor(options: {
    place: LogPlace;
    read: () => Promise<readonly LoggedMessage[]>;
    relatedTo: string | null;
    send: (message: ServerMessage) => void;
  }) {
    this.#place = options.place;
    this.#read = options.read;
    this.#relatedTo = options.relatedTo;
    this.#send = options.send;
  }

  /** Sends everything that is there by now. */
  async drain(): Promise<void> {
    for (;;) {
      const page = await this.#read();
      for (const { id, level, logger, data } of page) {
        this.#place.cursor = id;
        this.#send(logNotification({ level, logger, data, taskId: this.#relatedTo }));
      }
      if (page.length < LOG_PAGE) return;
    }
  }
}
