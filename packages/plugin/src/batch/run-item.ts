import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { FailedItem, ItemContext } from './batch-types.ts';

/** What came of an item, whatever it returned. */
export type ItemEnd =
  | { readonly ok: true; readonly value: unknown; readonly attempts: number }
  | Pick<FailedItem, 'ok' | 'error' | 'attempts'>;

/** One try of an item: the time it has and which one it is. */
export interface ItemTry {
  /** Made when it is asked for: most items never look. */
  readonly signal: AbortSignal;
  readonly attempt: number;
}

export interface RunItemOptions {
  readonly run: (tried: ItemTry) => unknown;
  readonly attempts: number;
  /** Null: as long as it likes. */
  readonly timeoutMs: number | null;
  /** Of whatever the item is a part of. */
  readonly signal: AbortSignal;
}

/** Throw it to fail an item at once, with a code of its own. */
export class ItemFailure extends Error {
  override readonly name = 'ItemFailure';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

class ItemTimeout extends Error {
  override readonly name = 'TimeoutError';
}

/** What another try would not mend. Known by name, for a plugin may bring its own copy of the classes. */
const FINAL_ERRORS = new Map([
  ['ItemFailure', 'ITEM_FAILED'],
  ['ToolError', 'TOOL_ERROR'],
  ['InputError', 'TOOL_ERROR'],
  ['ProtocolError', 'TOOL_ERROR'],
  ['ZodError', 'INVALID_ITEM'],
  ['$ZodError', 'INVALID_ITEM'],
]);

const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;
const MESSAGE_LIMIT = 2_000;

/** The pause after the first failure, doubled by each; a large share of it is chance. Milliseconds. */
const PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Runs an item until it returns, fails for good, or has used up its attempts.
 *
 * @throws the reason of `signal` once that has fired: then nothing is known of the item
 */
export async function runItem(options: RunItemOptions): Promise<ItemEnd> {
  const { signal, attempts } = options;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return { ok: true, value: await runOnce(options, attempt), attempts: attempt };
    } catch (error) {
      signal.throwIfAborted();
      if (attempt >= attempts || isFinal(error)) {
        return { ok: false, error: itemError(error), attempts: attempt };
      }
      const pauseMs = Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** (attempt - 1));
      await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    }
  }
}

/** Code and message of what an item threw, of bounded length. */
export function itemError(thrown: unknown): FailedItem['error'] {
  const message = messageOf(thrown).slice(0, MESSAGE_LIMIT);
  if (thrown instanceof ItemTimeout) return { code: 'ITEM_TIMEOUT', message };
  const own: unknown =
    typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : null;
  if (typeof own === 'string' && CODE.test(own)) return { code: own, message };
  const name = thrown instanceof Error ? thrown.name : '';
  return { code: FINAL_ERRORS.get(name) ?? 'ITEM_FAILED', message };
}

async function runOnce(options: RunItemOptions, attempt: number): Promise<unknown> {
  const { timeoutMs, signal } = options;
  const tried = new Try(signal, attempt);
  if (timeoutMs === null) {
    try {
      return await options.run(tried);
    } finally {
      tried.end();
    }
  }
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new ItemTimeout(`the item did not finish within ${timeoutMs} ms`);
      tried.abort(error);
      reject(error);
    }, timeoutMs);
  });
  try {
    return await Promise.race([options.run(tried), over]);
  } finally {
    clearTimeout(timer);
    tried.end();
  }
}

class Try implements ItemTry {
  readonly attempt: number;
  readonly #outer: AbortSignal;
  #controller: AbortController | null = null;
  #abortedFor: Error | null = null;
  readonly #follow = (): void => this.#controller?.abort(this.#outer.reason);

  constructor(outer: AbortSignal, attempt: number) {
    this.#outer = outer;
    this.attempt = attempt;
  }

  get signal(): AbortSignal {
    if (this.#controller !== null) return this.#controller.signal;
    this.#controller = new AbortController();
    if (this.#abortedFor !== null) this.#controller.abort(this.#abortedFor);
    else if (this.#outer.aborted) this.#follow();
    else this.#outer.addEventListener('abort', this.#follow, { once: true });
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#abortedFor = reason;
    this.#controller?.abort(reason);
  }

  end(): void {
    if (this.#controller !== null) this.#outer.removeEventListener('abort', this.#follow);
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof Error && FINAL_ERRORS.has(error.name);
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof z.ZodError) return z.prettifyError(thrown);
  if (thrown instanceof Error) return thrown.message || thrown.name;
  if (typeof thrown === 'string' && thrown !== '') return thrown;
  return 'it failed without saying why';
}

/** What an item function gets. Its signal is looked up each time, for it is made when somebody asks. */
export function itemContext(
  { taskId, principal, log }: Pick<ItemContext, 'taskId' | 'principal' | 'log'>,
  index: number,
  tried: ItemTry,
): ItemContext {
  return {
    get signal() {
      return tried.signal;
    },
    index,
    attempt: tried.attempt,
    taskId,
    principal,
    log,
  };
}
