/** How the runs of a prompt or resource are handled. Everything has a default. */
export interface RequestOptions {
  /** Longest run, in milliseconds; one minute unless said otherwise. Waiting for answers does not count. */
  readonly timeoutMs?: number;
  /** Name of the queue its runs go through; `default` unless said otherwise. */
  readonly queue?: string;
}

/** The same with its defaults filled in. */
export interface RequestPolicy {
  readonly timeoutMs: number;
  readonly queue: string;
}

export function requestPolicy({
  timeoutMs = 60_000,
  queue = 'default',
}: RequestOptions): RequestPolicy {
  return { timeoutMs, queue };
}
