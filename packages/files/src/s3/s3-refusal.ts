import { diagnosisOf, type LongshoreError, serverFailure } from '@longshore/core';

/** What the server says is wrong; 5xx and 429 may pass. */
export class S3Refusal extends Error {
  override readonly name = 'S3Refusal';
  readonly status: number;

  /** @param body XML; only its code is kept, for the rest may name the credentials */
  constructor(status: number, body: string) {
    const code = /<Code>([A-Za-z0-9]+)<\/Code>/.exec(body)?.[1];
    super(`the S3 server answered ${status}${code === undefined ? '' : ` ${code}`}`);
    this.status = status;
  }
}

/** Whether the same request may succeed soon. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof S3Refusal) || error.status >= 500 || error.status === 429;
}

/** @param method of the request that failed */
export function storeUnavailable(method: string, error: unknown): LongshoreError {
  // `fetch` itself says no more than that it failed.
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return serverFailure(
    'FILE_STORE_UNAVAILABLE',
    `${method} to the S3 bucket failed: ${diagnosisOf(cause)}`,
    error,
  );
}
