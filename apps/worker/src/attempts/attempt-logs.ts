import {
  type AttemptStore,
  type Claim,
  type EventBus,
  isAtLeast,
  type JsonValue,
  type Logger,
  type LogLevel,
  type LogMessage,
  taskTopic,
} from '@longshore/core';
import { toJsonObject } from '../json/to-json-value.ts';
import { within } from '../run/store-call.ts';

export interface AttemptLogsOptions {
  readonly attempts: AttemptStore;
  readonly bus: EventBus;
  readonly log: Logger;
}

/** Messages of this time travel together, in milliseconds. */
const BATCH_MS = 100;

/** Messages of one attempt that are kept for the client; the last one says that more were dropped. */
export const LOG_LIMIT = 1_000;

/** UTF-16 units of a message's fields; a message with more is kept without them. */
const FIELDS_LIMIT = 16_000;

const WRITE_TIMEOUT_MS = 5_000;

/**
 * What a tool logs for its client: messages at or above the level the client asked for, kept in the
 * database in small batches, and announced. Losing some to a database that is away is no reason to fail
 * the tool.
 */
export class AttemptLogs {
  readonly #claim: Claim;
  readonly #options: AttemptLogsOptions;
  #left = LOG_LIMIT;
  #waiting: LogMessage[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(claim: Claim, options: AttemptLogsOptions) {
    this.#claim = claim;
    this.#options = options;
  }

  /** @param message of bounded length, well-formed */
  write(level: LogLevel, message: string, fields: object): void {
    const { logLevel, toolName: logger } = this.#claim;
    if (this.#closed || this.#left === 0 || logLevel === null || !isAtLeast(level, logLevel)) {
      return;
    }
    this.#left -= 1;
    this.#waiting.push(
      this.#left > 0
        ? { level, logger, data: dataOf(message, fields) }
        : {
            level: 'warning',
            logger,
            data: `More than ${LOG_LIMIT - 1} messages: no more follow.`,
          },
    );
    this.#timer ??= setTimeout(() => void this.#flush(), BATCH_MS);
  }

  /** Writes what waits, once, and hears nothing more. Never rejects. */
  finish(): Promise<void> {
    this.#closed = true;
    return this.#flush();
  }

  /** Hears nothing more, and writes nothing more. */
  discard(): void {
    this.#closed = true;
    this.#waiting = [];
    this.#stopTimer();
  }

  /** One write at a time, so that messages keep their order. */
  #flush(): Promise<void> {
    this.#stopTimer();
    this.#writing = this.#writing.then(async () => {
      const messages = this.#waiting;
      this.#waiting = [];
      if (messages.length > 0) await this.#append(messages);
    });
    return this.#writing;
  }

  async #append(messages: readonly LogMessage[]): Promise<void> {
    const { attempts, bus, log } = this.#options;
    const { taskId, sessionId, attempt } = this.#claim;
    try {
      const kept = await within(
        WRITE_TIMEOUT_MS,
        attempts.appendLogs(this.#claim, messages),
        'keeping log messages',
      );
      if (!kept) return this.discard();
      void bus.publish(taskTopic({ id: taskId, sessionId }), { kind: 'logged', taskId });
    } catch (err) {
      log.warn(
        { taskId, attempt, messages: messages.length, err },
        'log messages for the client are lost',
      );
    }
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** The message, with its fields when it has any that JSON can hold and that are not too long. */
function dataOf(message: string, fields: object): JsonValue {
  if (Object.keys(fields).length === 0) return message;
  try {
    const json = toJsonObject(fields);
    if (JSON.stringify(json).length > FIELDS_LIMIT) return message;
    return { ...json, message };
  } catch {
    return message;
  }
}
