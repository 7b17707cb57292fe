import {
  type AttemptStore,
  type EventBus,
  type InputStore,
  type PendingInput,
  type TaskId,
  workerTopic,
} from '@longshore/core';
import type { AttemptInputs } from '../inputs/attempt-inputs.ts';
import type { RunningAttempt } from '../run/running-attempt.ts';
import { retryUntilAborted } from '../run/store-call.ts';

export interface ChildQuestionsOptions {
  readonly attempt: RunningAttempt;
  readonly child: TaskId;
  /** Goes before the child's own keys. */
  readonly prefix: string;
  readonly signal: AbortSignal;
  readonly inputs: AttemptInputs;
  readonly inputStore: Pick<InputStore, 'pending' | 'answer'>;
  readonly attempts: Pick<AttemptStore, 'timeOutInputs'>;
  readonly bus: Pick<EventBus, 'publish'>;
}

/** The child has its own time for an answer, and then withdraws the question. */
const TIMEOUT_MS = 2_147_483_647;

/**
 * Brings the questions of a child to the client of its parent: they are asked again as the parent's own, and
 * the answers are given to the child. Both are rows, so neither gets lost with this process.
 */
export class ChildQuestions {
  readonly #options: ChildQuestionsOptions;
  readonly #asked = new Set<string>();

  constructor(options: ChildQuestionsOptions) {
    this.#options = options;
  }

  /** Asks what is new, and takes back what the child does not want to know any more. */
  async look(): Promise<void> {
    const { inputStore, child, signal, attempt } = this.#options;
    const pending = await retryUntilAborted('reading questions', signal, () =>
      inputStore.pending(child, attempt.claim.principalId),
    );
    for (const question of pending) {
      if (this.#asked.has(question.key)) continue;
      this.#asked.add(question.key);
      void this.#bring(question);
    }
    await this.#withdraw(pending.map(({ key }) => key));
  }

  async #bring({ key, method, params }: PendingInput): Promise<void> {
    const { inputs, prefix, inputStore, child, attempt, bus, signal } = this.#options;
    try {
      const answer = await inputs.ask({ key: prefix + key, method, params }, TIMEOUT_MS);
      if (!this.#asked.has(key)) return;
      const outcome = await retryUntilAborted('answering a question', signal, () =>
        inputStore.answer(child, attempt.claim.principalId, new Map([[key, answer]])),
      );
      if (outcome.kind !== 'answered' || outcome.workerId === null) return;
      await bus.publish(workerTopic(outcome.workerId), { kind: 'answered', taskId: child });
    } catch {
      // The attempt is being stopped; the next one asks again.
    } finally {
      this.#asked.delete(key);
    }
  }

  async #withdraw(pending: readonly string[]): Promise<void> {
    const { attempts, attempt, prefix, inputs, signal } = this.#options;
    const gone = [...this.#asked].filter((key) => !pending.includes(key));
    if (gone.length === 0) return;
    for (const key of gone) this.#asked.delete(key);
    const keys = gone.map((key) => prefix + key);
    await retryUntilAborted('taking a question back', signal, () =>
      attempts.timeOutInputs(attempt.claim, keys),
    );
    await inputs.refresh();
  }
}
