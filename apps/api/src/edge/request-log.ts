import { randomUUID } from 'node:crypto';
import type {
  AuditAction,
  AuditTarget,
  Era,
  Identity,
  Logger,
  NewAuditEntry,
} from '@longshore/core';
import type { RootLogger } from '@longshore/runtime';
import type { Request, Response } from 'express';
import type { AuditOrigin, AuditTrail, CountedAction } from './audit-trail.ts';
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

/** What a request says for operators: lines of the log, and entries of the audit trail. */
export interface RecordedLog extends Logger {
  /** Puts on record that whoever makes the request did something. */
  audit(action: AuditAction, target: AuditTarget | null, details?: NewAuditEntry['details']): void;
  /** The same of what can be done as often as one likes: once a minute, with a count. */
  auditCount(action: CountedAction, target: AuditTarget | null, code?: string): void;
}

/**
 * The log of one request: its lines carry the request's id, and session and principal once they are
 * known. Costs next to nothing until a line is written, which for most requests is never.
 */
export class RequestLog implements RecordedLog {
  readonly requestId = randomUUID();
  readonly #root: RootLogger;
  readonly #trail: Pick<AuditTrail, 'note' | 'count'>;
  readonly #address: string | null;
  #identity: Identity | null = null;
  #fields: Readonly<Record<string, unknown>> = { requestId: this.requestId };

  constructor(root: RootLogger, trail: Pick<AuditTrail, 'note' | 'count'>, address: string | null) {
    this.#root = root;
    this.#trail = trail;
    this.#address = address;
  }

  /** Who makes the request, for the audit trail. */
  identify(identity: Identity): void {
    this.#identity = identity;
  }

  audit(
    action: AuditAction,
    target: AuditTarget | null,
    details: NewAuditEntry['details'] = null,
  ): void {
    this.#trail.note(action, this.#origin, target, details);
  }

  auditCount(action: CountedAction, target: AuditTarget | null, code?: string): void {
    this.#trail.count(action, this.#origin, target, code === undefined ? null : { code });
  }

  get #origin(): AuditOrigin {
    return {
      principalId: this.#identity?.principalId ?? null,
      authBindingId: this.#identity?.authBindingId ?? null,
      address: this.#address,
      requestId: this.requestId,
    };
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
export function startRequestLog(
  root: RootLogger,
  trail: Pick<AuditTrail, 'note' | 'count'>,
  request: Request,
  response: Response,
): void {
  const log = new RequestLog(root, trail, request.socket.remoteAddress ?? null);
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
