import { OperatorApiError, operatorClient } from '@longshore/operator/client';

export const API = '/api/v1';

/** The server refuses what changes something without this header: a page of another origin can not send it. */
export const client = operatorClient({ base: API, headers: { 'X-Longshore-Dashboard': '1' } });

export const isProblem = (error: unknown, status: number): boolean =>
  error instanceof OperatorApiError && error.status === status;

/** There is no answer of a server at all, or none that is the API's. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof OperatorApiError &&
  (error.code === 'UNREACHABLE' || (error.status >= 502 && error.status <= 504));

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
