import { setTimeout as sleep } from 'node:timers/promises';
import type { WireMessage } from '@longshore/testing/mcp';
import { type RpcError, rpcErrorOf } from './end.ts';
import { ConnectionLost } from './wire.ts';

/** What a request that was answered for good came to. */
export type Answer =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly error: RpcError };

/** What clients met on their way, over all requests. */
export interface ClientCounts {
  requests: number;
  /** No answer: the connection broke or stayed silent. */
  lostConnections: number;
  /** Errors that say "try again". */
  retryableErrors: number;
  /** Streams that went on elsewhere by their Last-Event-ID. */
  resumed: number;
}

/** As much of an answer as one try has. */
export type Tried = Pick<WireMessage, 'result' | 'error'>;

/** Nobody wants the answer any more: the run is over. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp';
}

/** What both eras' clients share: whom they ask next, and when they try again. */
export interface Surroundings {
  readonly urls: readonly string[];
  readonly signal: AbortSignal;
  readonly counts: ClientCounts;
}

/** No live worker offers the tool at this moment; the client knows that it will be back. */
const MAY_COME_BACK = ['UNKNOWN_TOOL'];

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_500;

/**
 * Tries until there is an answer that will not change by trying again, at one API after the other.
 *
 * @param first index of the URL to begin with
 * @param attempt one try
 * @throws {GaveUp} when the run ends before
 */
export async function untilAnswered(
  { urls, signal, counts }: Surroundings,
  first: number,
  attempt: (url: string) => Promise<Tried>,
): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    if (signal.aborted) throw new GaveUp();
    const url = urls[(first + tries) % urls.length] ?? '';
    counts.requests += 1;
    try {
      const { result, error } = await attempt(url);
      if (error === undefined) return { kind: 'result', result: result ?? {} };
      const known = rpcErrorOf(error);
      const isFinal = !known.retryable && !MAY_COME_BACK.includes(known.name ?? '');
      if (isFinal) return { kind: 'error', error: known };
      counts.retryableErrors += 1;
    } catch (caught) {
      if (!(caught instanceof ConnectionLost)) throw caught;
      counts.lostConnections += 1;
    }
    await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries), signal);
  }
}

/** @throws {GaveUp} */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {
    throw new GaveUp();
  });
}
