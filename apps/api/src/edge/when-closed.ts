import type { ServerResponse } from 'node:http';

/**
 * Calls `listener` once the response is over: sent, or left by its client. At once when it is over already: a
 * client may leave while something is looked up for it, and `close` says so to nobody who listens later.
 */
export function whenClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.once('close', listener);
}
