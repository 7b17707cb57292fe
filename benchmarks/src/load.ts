import autocannon from 'autocannon';

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly answered: number;
  /** Refusals, broken connections, and answers without what was expected of them. */
  readonly failed: number;
}

export interface LoadOptions {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: object;
  readonly connections: number;
  readonly seconds: number;
  /** Headers of each connection beside `headers`. Unless given they are all alike. */
  readonly ofEach?: readonly Record<string, string>[];
  /** What each answer holds. Unless given any will do. */
  readonly expected?: string;
}

/**
 * POSTs the same JSON body over `connections` keep-alive connections, one request at a time on each.
 *
 * @throws {Error} when anything failed
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const result = await loadWithFailures(options);
  if (result.failed > 0) throw new Error(`${options.url}: ${result.failed} calls failed`);
  return result;
}

/** The same, where what fails is counted. */
export async function loadWithFailures(options: LoadOptions): Promise<LoadResult> {
  const { expected, ofEach = [] } = options;
  const headers = { 'content-type': 'application/json', ...options.headers };
  let opened = 0;
  const result = await autocannon({
    url: options.url,
    method: 'POST',
    headers,
    body: JSON.stringify(options.body),
    connections: options.connections,
    duration: options.seconds,
    ...(ofEach.length === 0
      ? {}
      : {
          setupClient: (client) => {
            client.setHeaders({ ...headers, ...ofEach[opened % ofEach.length] });
            opened += 1;
          },
        }),
    ...(expected === undefined ? {} : { verifyBody: (body) => String(body).includes(expected) }),
  });
  return {
    perSecond: result.requests.total / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    answered: result.requests.total,
    failed: result.non2xx + result.errors + result.mismatches,
  };
}
