import type { AnswerOf, CallOf, OperationName } from './operations.ts';

/** An answer of the API that is no 2xx. */
export class OperatorApiError extends Error {
  override readonly name = 'OperatorApiError';
  readonly status: number;
  /** One of docs/errors.md; UNREACHABLE when no answer of the API came. */
  readonly code: string;
  readonly retryable: boolean;

  constructor(
    status: number,
    code: string,
    message: string,
    retryable: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.retryable = retryable;
  }
}

/** What is given behind the name of an operation: nothing where nothing of it has to be. */
export type CallArguments<Name extends OperationName> =
  Record<never, never> extends CallOf<Name> ? [call?: CallOf<Name>] : [call: CallOf<Name>];

export type OperatorClient = <Name extends OperationName>(
  name: Name,
  ...call: CallArguments<Name>
) => Promise<AnswerOf<Name>>;

interface AnyCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** From the call to the last byte of its answer. */
export const CALL_TIMEOUT_MS = 30_000;

/**
 * Calls operations by their names in `OPERATIONS`, of which it needs the types only.
 *
 * @param options.base URL of the API, such as `http://127.0.0.1:3000/api/v1`
 * @param options.signal ends a call; each ends after CALL_TIMEOUT_MS unless it is given
 * @throws {OperatorApiError} from each call
 */
export function operatorClient(options: {
  readonly base: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}): OperatorClient {
  const send = async (name: string, call: AnyCall = {}): Promise<unknown> => {
    const [method = '', path = ''] = name.split(' ');
    const response = await fetch(`${options.base}${pathOf(path, call)}`, {
      method,
      headers: {
        ...options.headers,
        ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: options.signal ?? AbortSignal.timeout(CALL_TIMEOUT_MS),
    }).catch(unreachable);
    if (response.ok) return response.json().catch(unreachable);
    throw problemOf(response.status, await response.json().catch(() => null));
  };
  return send as OperatorClient;
}

/** The path of an operation with its parameters in it, behind the base of the API. */
export function pathOf(path: string, { params = {}, query = {} }: AnyCall): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => {
      const values = Array.isArray(value) ? value : [value];
      return values
        .filter((one) => one != null)
        .map((one): [string, string] => [name, String(one)]);
    }),
  ).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

function unreachable(cause: unknown): never {
  const said = `No answer from the server: ${cause}`;
  throw new OperatorApiError(0, 'UNREACHABLE', said, true, { cause });
}

function problemOf(status: number, answer: unknown): OperatorApiError {
  const error = (answer as { error?: Record<string, unknown> } | null)?.error;
  return new OperatorApiError(
    status,
    typeof error?.['code'] === 'string' ? error['code'] : 'UNREACHABLE',
    typeof error?.['message'] === 'string' ? error['message'] : `The server answered ${status}`,
    error?.['retryable'] === true,
  );
}
