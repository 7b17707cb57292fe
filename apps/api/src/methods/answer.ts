import type { Era, JsonObject, RequestId } from '@longshore/core';
import {
  errorToWire,
  type JsonRpcResponse,
  outcomeErrorToWire,
  retryAfterSeconds,
} from '@longshore/protocol';
import { StoredOutcomeError } from '../calls/outcome-error.ts';
import { logFailure } from '../edge/log-failure.ts';
import type { RecordedLog } from '../edge/request-log.ts';

/** An answer, and how it goes out when it is no event of a stream. */
export interface Answer {
  readonly message: JsonRpcResponse;
  readonly httpStatus: number;
  /** For its Retry-After header; null: none. */
  readonly retryAfterSeconds: number | null;
}

/**
 * Runs a method. What it throws is an answer too: the one place where errors of methods are mapped. Never rejects.
 *
 * @param run gives the result; null when nobody waits for it any more
 * @returns null when nobody waits for it any more
 */
export async function answerOf(
  era: Era,
  { requestId: id, log }: { readonly requestId: RequestId; readonly log: RecordedLog },
  run: () => Promise<JsonObject | null>,
): Promise<Answer | null> {
  try {
    const result = await run();
    if (result === null) return null;
    return { message: { jsonrpc: '2.0', id, result }, httpStatus: 200, retryAfterSeconds: null };
  } catch (error) {
    if (error instanceof StoredOutcomeError) {
      const wire = outcomeErrorToWire(error.error, era);
      const message: JsonRpcResponse = { jsonrpc: '2.0', id, error: wire };
      return { message, httpStatus: 200, retryAfterSeconds: null };
    }
    logFailure(log, error);
    const { httpStatus, code, message, data } = errorToWire(error, era);
    return {
      message: { jsonrpc: '2.0', id, error: { code, message, data } },
      httpStatus,
      retryAfterSeconds: retryAfterSeconds(error),
    };
  }
}
