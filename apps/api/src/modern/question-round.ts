import type { JsonValue, PendingInput, PrincipalId, TaskId } from '@longshore/core';
import type { InputDesk } from '../inputs/input-desk.ts';

/** The questions of a row, and the answers that one round of its request brought. */
export class QuestionRound {
  readonly #inputs: InputDesk;
  readonly #taskId: TaskId;
  readonly #owner: PrincipalId;
  /** Answers that no question has taken yet: a question may still come that they are for. */
  readonly #given: Map<string, JsonValue>;
  #open: readonly PendingInput[] = [];
  #answered = false;

  constructor(options: {
    inputs: InputDesk;
    taskId: TaskId;
    owner: PrincipalId;
    inputResponses: Readonly<Record<string, JsonValue>>;
  }) {
    this.#inputs = options.inputs;
    this.#taskId = options.taskId;
    this.#owner = options.owner;
    this.#given = new Map(Object.entries(options.inputResponses));
  }

  /** Questions that waited for an answer, and had none in this round, when it last looked. */
  get open(): readonly PendingInput[] {
    return this.#open;
  }

  /** Whether this round has answered anything. */
  get answered(): boolean {
    return this.#answered;
  }

  /** Reads the questions, and answers those that it has answers for. */
  async look(): Promise<void> {
    const pending = await this.#inputs.pending(this.#taskId, this.#owner);
    const answers: [string, JsonValue][] = [];
    for (const { key } of pending) {
      const answer = this.#given.get(key);
      if (answer !== undefined) answers.push([key, answer]);
    }
    if (answers.length > 0) {
      await this.#inputs.answer(this.#taskId, this.#owner, Object.fromEntries(answers));
      this.#answered = true;
      for (const [key] of answers) this.#given.delete(key);
    }
    const settled = new Set(answers.map(([key]) => key));
    this.#open = pending.filter(({ key }) => !settled.has(key));
  }
}
