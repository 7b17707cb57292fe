import type { IncomingHttpHeaders } from 'node:http';
import type { Access } from '@longshore/core';

/** Finds out who makes a request. One for each value of AUTH. */
export interface Authenticator {
  /**
   * By the headers of a request, of every request: a session proves nothing. Answers without a promise when
   * it knows the credentials, which is the common case.
   *
   * @throws {LongshoreError} UNAUTHENTICATED, the same for all that is wrong with credentials · retryable
   *   ones when they can not be judged at the moment
   */
  authenticate(headers: IncomingHttpHeaders): Access | Promise<Access>;
}
