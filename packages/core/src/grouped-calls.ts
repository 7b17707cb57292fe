import { type ErrorCode, LongshoreError, serverFailure } from './errors.ts';

export interface GroupedCallsOptions<Input, Output> {
  /** What the calls do, for errors: `accepting tasks`. */
  readonly name: string;
  /** Does the work of a group at once, all or nothing. @returns one answer per member, in their order */
  readonly run: (group: readonly Input[]) => Promise<readonly Output[]>;
  /** Two calls of one key never share a group; null: calls have no key. */
  readonly keyOf: ((input: Input) => string) | null;
  /** How big a call is, in any unit, such as bytes. */
  readonly weightOf: (input: Input) => number;
  /** Whether the whole group would fail again in parts, as when the server is away. */
  readonly isSharedFailure: (error: unknown) => boolean;
  /** Whether such a failure is also that of all calls that wait, so that none takes longer than one `run`; false unless said otherwise. */
  readonly failsWaiting?: boolean;
  /** Code of the error beyond `maxWaiting`; must be a retryable one. */
  readonly overflowCode: ErrorCode;
  readonly maxGroupSize: number;
  readonly maxGroupWeight: number;
  /** Groups under way at once. */
  readonly maxInFlight: number;
  /** Calls that may wait for a group. */
  readonly maxWaiting: number;
}

interface Call<Input, Output> {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects calls that arrive in the same turn of the event loop, or while earlier ones are under way, and
 * does them together. One statement over 64 rows costs Postgres and us a tenth of 64 statements.
 *
 * A call on its own waits for the end of the current turn and no longer. While `maxInFlight` groups are
 * under way the next ones grow, so the group size follows the load by itself.
 *
 * A group is all or nothing. When one fails through a member (a value the server refuses), it is done again
 * in halves, down to the member, so that only the culprit's call fails.
 */
export class GroupedCalls<Input, Output> {
  readonly #options: GroupedCallsOptions<Input, Output>;
  #waiting: Call<Input, Output>[] = [];
  #inFlight = 0;
  #isPumpDue = false;
  #isClosed = false;
  #onIdle: (() => void) | null = null;

  constructor(options: GroupedCallsOptions<Input, Output>) {
    this.#options = options;
  }

  /**
   * @throws {LongshoreError} `overflowCode` when too many calls wait, SHUTTING_DOWN after `close`,
   *   and whatever `run` throws for this member
   */
  call(input: Input): Promise<Output> {
    const { name, maxWaiting, overflowCode } = this.#options;
    if (this.#isClosed) return Promise.reject(this.#closedError());
    if (this.#waiting.length >= maxWaiting) {
      const message = `${name}: ${maxWaiting} calls wait already. Try again in a moment.`;
      return Promise.reject(new LongshoreError(overflowCode, message));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      this.#pumpSoon();
    });
  }

  /** Fails the calls that wait and resolves when the groups under way are through. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#closedError());
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #pumpSoon(): void {
    if (this.#isPumpDue || this.#inFlight >= this.#options.maxInFlight) return;
    this.#isPumpDue = true;
    setImmediate(() => {
      this.#isPumpDue = false;
      while (this.#waiting.length > 0 && this.#inFlight < this.#options.maxInFlight) {
        void this.#dispatch(this.#takeGroup());
      }
    });
  }

  async #dispatch(group: readonly Call<Input, Output>[]): Promise<void> {
    this.#inFlight += 1;
    await this.#settle(group);
    this.#inFlight -= 1;
    if (this.#waiting.length > 0) this.#pumpSoon();
    if (this.#inFlight === 0) this.#onIdle?.();
  }

  /** Never rejects: each call hears of its own fate. */
  async #settle(group: readonly Call<Input, Output>[]): Promise<void> {
    try {
      const outputs = await this.#options.run(group.map(({ input }) => input));
      if (outputs.length !== group.length) {
        throw serverFailure('INTERNAL', `${this.#options.name}: an answer is missing`);
      }
      outputs.forEach((output, index) => {
        group[index]?.resolve(output);
      });
    } catch (error) {
      const { isSharedFailure, failsWaiting = false } = this.#options;
      const isShared = isSharedFailure(error);
      if (group.length === 1 || isShared) {
        const waiting = isShared && failsWaiting ? this.#waiting.splice(0) : [];
        for (const { reject } of [...group, ...waiting]) reject(error);
        return;
      }
      const middle = Math.ceil(group.length / 2);
      await this.#settle(group.slice(0, middle));
      await this.#settle(group.slice(middle));
    }
  }

  /** Takes the oldest calls; one whose key is in the group already stays for the next group. */
  #takeGroup(): Call<Input, Output>[] {
    const { keyOf, weightOf, maxGroupSize, maxGroupWeight } = this.#options;
    const group: Call<Input, Output>[] = [];
    const left: Call<Input, Output>[] = [];
    const keys = new Set<string>();
    let weight = 0;
    let index = 0;
    for (; index < this.#waiting.length && group.length < maxGroupSize; index += 1) {
      const call = this.#waiting[index];
      if (call === undefined) break;
      const key = keyOf?.(call.input);
      if (key !== undefined && keys.has(key)) {
        left.push(call);
        continue;
      }
      weight += weightOf(call.input);
      if (weight > maxGroupWeight && group.length > 0) break;
      if (key !== undefined) keys.add(key);
      group.push(call);
    }
    this.#waiting = [...left, ...this.#waiting.slice(index)];
    return group;
  }

  #closedError(): LongshoreError {
    return new LongshoreError('SHUTTING_DOWN', `${this.#options.name}: this process is stopping.`);
  }
}
