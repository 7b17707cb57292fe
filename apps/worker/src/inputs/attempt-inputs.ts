import type {
  AttemptStore,
  EventBus,
  InputAnswer,
  InputQuestion,
  Logger,
  TaskId,
} from '@longshore/core';
import type { Question } from '@longshore/plugin';
import { toJsonObject } from '../json/to-json-value.ts';
import { wellFormed } from '../json/well-formed.ts';
import type { RunningAttempt } from '../run/running-attempt.ts';
import { retryUntilAborted, within } from '../run/store-call.ts';
import { tellTask } from '../run/tell-task.ts';
import { OpenQuestion, type QuestionEnd } from './open-question.ts';

export interface AttemptInputsOptions {
  readonly attempts: AttemptStore;
  readonly bus: EventBus;
  readonly log: Logger;
}

const READ_TIMEOUT_MS = 10_000;

/**
 * The questions of one attempt.
 *
 * The database holds them: `ask` writes a row per key, answers are read from there, and a message that
 * some are there only makes us look. So a question outlives its worker, and a later attempt that asks the
 * same under the same key gets the answer that came meanwhile, or goes on waiting. All writes carry the
 * fence; a refusal means that the attempt has been replaced.
 *
 * Questions of one turn of the event loop travel in one statement, and so do time-outs. While any question
 * is open, the attempt's own time stands still, and its seat is given away; the tool hears of the answer when it
 * has one again.
 */
export class AttemptInputs {
  readonly #attempt: RunningAttempt;
  readonly #options: AttemptInputsOptions;
  readonly #open = new Map<string, OpenQuestion>();
  #unasked: OpenQuestion[] = [];
  #overdue: OpenQuestion[] = [];
  #reading: Promise<void> | null = null;
  #readAgain = false;
  /** An answer was read under the key of a question that did not stand yet. */
  #cameEarly = false;
  #closed = false;

  constructor(attempt: RunningAttempt, options: AttemptInputsOptions) {
    this.#attempt = attempt;
    this.#options = options;
    attempt.signal.addEventListener('abort', () => this.#failAll(attempt.signal.reason), {
      once: true,
    });
  }

  get taskId(): TaskId {
    return this.#attempt.claim.taskId;
  }

  /**
   * Asks the client and waits. A key that belongs to another question, as happens when a later attempt
   * words it differently, gets a number: `name~2`.
   *
   * @throws the signal's reason once the attempt is stopped
   */
  async ask(question: Question, timeoutMs: number): Promise<InputAnswer> {
    const params = toJsonObject(question.params);
    for (let variant = 1; ; variant += 1) {
      const key = wellFormed(variant === 1 ? question.key : `${question.key}~${variant}`);
      const end = await this.#wait({ key, method: question.method, params }, timeoutMs);
      this.#attempt.signal.throwIfAborted();
      if (end.kind !== 'conflict') return end;
    }
  }

  /** Looks for answers; while it looks, further calls make it look once more. Never rejects. */
  refresh(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    if (this.#reading !== null) {
      this.#readAgain = true;
      return this.#reading;
    }
    this.#reading = this.#readAnswers().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** The attempt has ended: what is still open stays unanswered for ever. */
  close(): void {
    this.#closed = true;
    for (const open of this.#open.values()) open.forget();
    this.#open.clear();
  }

  #wait(question: InputQuestion, timeoutMs: number): Promise<QuestionEnd> {
    this.#attempt.signal.throwIfAborted();
    if (this.#closed) throw new Error('the attempt has ended: nothing can be asked any more');
    const same = this.#open.get(question.key);
    if (same !== undefined) {
      return same.isSame(question) ? same.end : Promise.resolve({ kind: 'conflict' });
    }
    const open = new OpenQuestion(question, timeoutMs);
    this.#open.set(question.key, open);
    this.#attempt.timeLimit.pause();
    if (this.#unasked.length === 0) setImmediate(() => void this.#askAll());
    this.#unasked.push(open);
    return open.end;
  }

  async #askAll(): Promise<void> {
    const asking = this.#unasked.filter((open) => this.#isOpen(open));
    this.#unasked = [];
    if (asking.length === 0) return;
    const questions = asking.map(({ question }) => question);
    await this.#settling(asking, async (fence) => {
      const asked = await retryUntilAborted('asking the client', this.#attempt.signal, () =>
        this.#options.attempts.ask(fence, questions),
      );
      if (asked === null) return this.#attempt.abort('lost');
      for (const open of asking) {
        const fate = asked.get(open.question.key);
        if (fate?.kind === 'answered') this.#settle(open, fate.answer);
        else if (fate?.kind === 'conflict') this.#settle(open, fate);
        else if (this.#isOpen(open)) {
          open.stand(() => this.#timeOut(open), this.#attempt.wait('answer'));
        }
      }
      if ([...asked.values()].some(({ kind }) => kind === 'asked')) this.#publishChanged();
      if (this.#cameEarly) void this.refresh();
      this.#cameEarly = false;
    });
  }

  #timeOut(open: OpenQuestion): void {
    if (this.#overdue.length === 0) setImmediate(() => void this.#timeOutAll());
    this.#overdue.push(open);
  }

  async #timeOutAll(): Promise<void> {
    const overdue = this.#overdue.filter((open) => this.#isOpen(open));
    this.#overdue = [];
    if (overdue.length === 0) return;
    const keys = overdue.map(({ question }) => question.key);
    await this.#settling(overdue, async (fence) => {
      const answers = await retryUntilAborted('ending a question', this.#attempt.signal, () =>
        this.#options.attempts.timeOutInputs(fence, keys),
      );
      for (const open of overdue) {
        const answer = answers.get(open.question.key);
        if (answer !== undefined) this.#settle(open, answer);
        else if (this.#isOpen(open)) this.#attempt.abort('lost');
      }
      this.#publishChanged();
    });
  }

  /** Does something about questions; when that fails, so do they. */
  async #settling(
    questions: readonly OpenQuestion[],
    act: (claim: RunningAttempt['claim']) => Promise<void>,
  ): Promise<void> {
    try {
      await act(this.#attempt.claim);
    } catch (error) {
      for (const open of questions) {
        if (this.#close(open)) open.fail(error);
      }
    }
  }

  async #readAnswers(): Promise<void> {
    const { taskId, attempt } = this.#attempt.claim;
    do {
      this.#readAgain = false;
      try {
        const answers = await within(
          READ_TIMEOUT_MS,
          this.#options.attempts.readAnswers(taskId, [...this.#open.keys()]),
          'reading answers',
        );
        this.#settleRead(answers);
      } catch (err) {
        this.#options.log.warn({ taskId, attempt, err }, 'answers could not be read');
      }
    } while (this.#readAgain && this.#open.size > 0);
  }

  #settleRead(answers: ReadonlyMap<string, InputAnswer>): void {
    for (const [key, answer] of answers) {
      const open = this.#open.get(key);
      if (open?.isStanding === true) this.#settle(open, answer);
      // It may as well be the answer to an earlier question under this key.
      else if (open !== undefined) this.#cameEarly = true;
    }
  }

  #settle(open: OpenQuestion, end: QuestionEnd): void {
    if (this.#close(open)) open.settle(end);
  }

  #failAll(reason: unknown): void {
    for (const open of [...this.#open.values()]) {
      if (this.#close(open)) open.fail(reason);
    }
  }

  /** @returns false when it was closed before */
  #close(open: OpenQuestion): boolean {
    if (!this.#isOpen(open)) return false;
    this.#open.delete(open.question.key);
    this.#attempt.timeLimit.resume();
    return true;
  }

  #isOpen(open: OpenQuestion): boolean {
    return this.#open.get(open.question.key) === open;
  }

  #publishChanged(): void {
    tellTask(this.#options.bus, this.#attempt.claim);
  }
}
