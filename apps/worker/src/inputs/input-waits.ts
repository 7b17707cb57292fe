import {
  type AttemptStore,
  type EventBus,
  type Logger,
  PeriodicService,
  type TaskId,
} from '@longshore/core';
import type { RunningAttempt } from '../run/running-attempt.ts';
import { AttemptInputs } from './attempt-inputs.ts';

export interface InputWaitsOptions {
  readonly attempts: AttemptStore;
  readonly bus: EventBus;
  readonly log: Logger;
  /** How often answers are looked for without any message, in milliseconds; 5 s by default. */
  readonly rereadMs?: number;
}

const REREAD_MS = 5_000;

/**
 * Brings answers to the attempts that wait for them: when a message says that some are there, when messages
 * may have been missed, and regularly, so that none depends on a message.
 */
export class InputWaits extends PeriodicService {
  readonly #options: InputWaitsOptions;
  readonly #inputs = new Set<AttemptInputs>();

  constructor(options: InputWaitsOptions) {
    const { rereadMs = REREAD_MS, log } = options;
    super({ name: 'looking for answers', pace: 'beat', intervalMs: rereadMs, log });
    this.#options = options;
  }

  /** The questions of an attempt; to be closed when it ends. */
  open(attempt: RunningAttempt): AttemptInputs {
    const inputs = new AttemptInputs(attempt, this.#options);
    this.#inputs.add(inputs);
    return inputs;
  }

  close(inputs: AttemptInputs): void {
    inputs.close();
    this.#inputs.delete(inputs);
  }

  /** Answers to questions of this task are there. */
  answered(taskId: TaskId): void {
    for (const inputs of this.#inputs) {
      if (inputs.taskId === taskId) void inputs.refresh();
    }
  }

  /** Looks for the answers of all. Never rejects. */
  async runOnce(): Promise<void> {
    await Promise.all([...this.#inputs].map((inputs) => inputs.refresh()));
  }
}
