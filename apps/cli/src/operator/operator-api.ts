import { limitedSignal } from '@longshore/core';
import type { AnswerOf, OperationName } from '@longshore/operator';
import {
  CALL_TIMEOUT_MS,
  type CallArguments,
  OperatorApiError,
  operatorClient,
} from '@longshore/operator/client';
import { CliError, EXIT } from '../client/cli-error.ts';
import type { ClientContext } from '../client/client-context.ts';
import { AwayError, canNotAnswer, neverThere, unreachable } from '../client/mcp-client.ts';

/** What is shown of a key by `keys list` too, and says no secret. */
const KEY_PREFIX = /^ls_.{5}/;

/** The operator API of the server that a command asks, as the caller of the command. */
export class OperatorApi {
  readonly #context: ClientContext;
  readonly #signal: AbortSignal;

  /** @param signal ends what is asked; that of the command unless given */
  constructor(context: ClientContext, signal: AbortSignal = context.stop) {
    this.#context = context;
    this.#signal = signal;
  }

  /**
   * @throws {AwayError} nobody answers, or somebody who can not for now
   * @throws {CliError} the API said no: with what to do about it
   */
  async call<Name extends OperationName>(
    name: Name,
    ...call: CallArguments<Name>
  ): Promise<AnswerOf<Name>> {
    const { url, token } = this.#context.client.server;
    const limited = limitedSignal(this.#signal, CALL_TIMEOUT_MS);
    const client = operatorClient({
      base: new URL('api/v1', url).href,
      headers: token === null ? {} : { Authorization: `Bearer ${token}` },
      signal: limited.signal,
    });
    try {
      return await client(name, ...call);
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof OperatorApiError)) throw error;
      throw this.#explained(error, name);
    } finally {
      limited.release();
    }
  }

  #explained(error: OperatorApiError, name: OperationName): CliError {
    const { server } = this.#context.client;
    const { status, code, message } = error;
    if (status === 0) return neverThere(unreachable(server, error.cause));
    if (status === 401) {
      return new CliError(
        EXIT.refused,
        `${server.url} does not admit us: ${message}. ${keyHint(server.token)}`,
      );
    }
    if (code === 'INSUFFICIENT_SCOPE') return new CliError(EXIT.refused, needsScope(message, name));
    if (code === 'UNREACHABLE') return noApi(server.url, status);
    if (error.retryable) return canNotAnswer(server, message);
    return new CliError(EXIT_OF[status] ?? EXIT.failed, message);
  }
}

const EXIT_OF: Readonly<Record<number, number>> = { 400: EXIT.usage, 403: EXIT.refused };

function keyHint(token: string | null): string {
  const other = 'set LONGSHORE_API_KEY, or give --api-key';
  if (token === null) return `No key was sent: ${other}.`;
  const [prefix] = KEY_PREFIX.exec(token) ?? [];
  const asked = prefix === undefined ? 'the token it was given' : `the key ${prefix}…`;
  return `It was asked with ${asked}: see "longshore keys list"; for another one ${other}.`;
}

function needsScope(message: string, name: OperationName): string {
  const scope = name.startsWith('POST') ? 'ops:write' : 'ops:read';
  return `${message}. A key that may: longshore keys create --name operator --scope ${scope}`;
}

function noApi(url: string, status: number): CliError {
  const what =
    status === 404
      ? 'has no operator API: is it the MCP endpoint of a Longshore of this version?'
      : `does not answer as an operator API does (HTTP status ${status})`;
  return status >= 502
    ? new AwayError(`${url} ${what}`)
    : new CliError(EXIT.failed, `${url} ${what}`);
}
