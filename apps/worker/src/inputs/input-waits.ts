import type { AttemptStore, EventBus, Logger, Service, TaskId } from '@longshore/core';
import type { Attempt } from '../attempts/attempt.ts';
import { RepeatingTask } from '../services/repeating-task.ts';
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
export class InputWaits implements Service {
  readonly #options: InputWaitsOptions;
  readonly #inputs = new Set<AttemptInputs>();
  readonly #rereads: RepeatingTask;

  constructor(options: InputWaitsOptions) {
    this.#options = options;
    this.#rereads = new RepeatingTask({
      intervalMs: options.rereadMs ?? REREAD_MS,
      run: () => this.rereadAll(),
    });
  }

  async start(): Promise<void> {
    await this.#rereads.start();
  }

  async stop(): Promise<void> {
    await this.#rereads.stop();
  }

  /** The questions of an attempt; to be closed when it ends. */
  open(attempt: Attempt): AttemptInputs {
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

  /** Never rejects. */
  async rereadAll(): Promise<void> {
    await Promise.all([...this.#inputs].map((inputs) => inputs.refresh()));
  }
}
