import { randomUUID } from 'node:crypto';
import type { Era, Logger } from '@longshore/core';
import type { RootLogger } from '@longshore/runtime';
import type { Request, Response } from 'express';
import { whenClosed } from './when-closed.ts';

declare global {
  namespace Express {
    interface Locals {
      log: RequestLog;
      /** Known once the body of a POST is read: errors look different per era. */
      era?: Era;
    }
  }
}

/**
 * The log of one request: its lines carry the request's id, and session and principal once they are
 * known. Costs next to nothing until a line is written, which for most requests is never.
 */
export class RequestLog implements Logger {
  readonly requestId = randomUUID();
  readonly #root: RootLogger;
  #fields: Readonly<Record<string, unknown>> = { requestId: this.requestId };

  constructor(root: RootLogger) {
    this.#root = root;
  }

  /** Adds to all later lines. */
  bind(fields: Readonly<Record<string, unknown>>): void {
    this.#fields = { ...this.#fields, ...fields };
  }

  debug(fields: object, message: string): void {
    if (this.#root.isLevelEnabled('debug'))
      this.#root.debug({ ...this.#fields, ...fields }, message);
  }

  info(fields: object, message: string): void {
    this.#root.info({ ...this.#fields, ...fields }, message);
  }

  warn(fields: object, message: string): void {
    this.#root.warn({ ...this.#fields, ...fields }, message);
  }

  error(fields: object, message: string): void {
    this.#root.error({ ...this.#fields, ...fields }, message);
  }
}

/** Gives a request its log; at level debug its end is a line. */
export function startRequestLog(root: RootLogger, request: Request, response: Response): void {
  const log = new RequestLog(root);
  response.locals.log = log;
  if (!root.isLevelEnabled('debug')) return;
  const { method, path } = request;
  const startedAt = performance.now();
  whenClosed(response, () => {
    const ms = Math.round(performance.now() - startedAt);
    const aborted = !response.writableFinished;
    log.debug({ method, path, status: response.statusCode, ms, aborted }, 'request served');
  });
}
