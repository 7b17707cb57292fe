import { isDeepStrictEqual } from 'node:util';
import type { InputAnswer, InputQuestion } from '@longshore/core';

/** How a question under one key ended: `conflict` when the key belongs to another question. */
export type QuestionEnd = InputAnswer | { readonly kind: 'conflict' };

/** A question from the moment it is asked until it is answered, in this process. */
export class OpenQuestion {
  readonly question: InputQuestion;
  readonly timeoutMs: number;
  readonly end: Promise<QuestionEnd>;
  #resolve: (end: QuestionEnd) => void = () => {};
  #reject: (reason: unknown) => void = () => {};
  #timer: NodeJS.Timeout | null = null;
  #endWait: (() => Promise<void>) | null = null;

  constructor(question: InputQuestion, timeoutMs: number) {
    this.question = question;
    this.timeoutMs = timeoutMs;
    this.end = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  isSame({ method, params }: InputQuestion): boolean {
    return method === this.question.method && isDeepStrictEqual(params, this.question.params);
  }

  /** True once the database holds it under its key for this attempt. */
  get isStanding(): boolean {
    return this.#endWait !== null;
  }

  /**
   * The database holds it: from now on its time runs, and the tool waits.
   *
   * @param endWait resolves when the tool may go on, which hears of the end only then
   */
  stand(over: () => void, endWait: () => Promise<void>): void {
    this.#endWait = endWait;
    this.#timer = setTimeout(over, this.timeoutMs);
    this.#timer.unref();
  }

  settle(end: QuestionEnd): void {
    this.forget();
    void this.#waited().then(() => this.#resolve(end));
  }

  fail(reason: unknown): void {
    this.forget();
    void this.#waited().then(() => this.#reject(reason));
  }

  /** Nobody waits any more. */
  forget(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #waited(): Promise<void> {
    await this.#endWait?.();
  }
}
