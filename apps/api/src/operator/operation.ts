import {
  type Access,
  type ApiKeyStore,
  type AuditStore,
  admits,
  type BulkStore,
  type CatalogueStore,
  LongshoreError,
  type OperatorStore,
  type PauseStore,
  type PrincipalId,
} from '@longshore/core';
import type { OperationName, Operations } from '@longshore/operator';
import type { Pauses } from '@longshore/queue';
import type { Request, Response } from 'express';
import type * as z from 'zod';
import type { CallContext } from '../calls/call-context.ts';
import type { AuditTrail } from '../edge/audit-trail.ts';
import type { RequestRates } from '../edge/limits/request-rates.ts';
import type { RecordedLog } from '../edge/request-log.ts';
import type { WebhookCourier } from '../webhooks/webhook-courier.ts';
import type { DashboardSessions } from './dashboard-sessions.ts';
import type { OAuthLogin } from './oauth-login.ts';

/** What the operations work with. */
export interface OperatorContext extends CallContext {
  readonly version: string;
  readonly auth: 'none' | 'api-key' | 'oauth';
  /** Over connections of its own. */
  readonly store: OperatorStore;
  readonly keys: ApiKeyStore;
  readonly logins: DashboardSessions;
  /** Null: there is no authorization server to log in at. */
  readonly oauth: OAuthLogin | null;
  readonly rates: RequestRates;
  /** LEASE_MS: who is silent for so long is dead, and others go on with what it had. */
  readonly leaseMs: number;
  readonly workers: Pick<CatalogueStore, 'presence'>;
  readonly pauses: Pauses;
  readonly pauseStore: PauseStore;
  readonly webhooks: WebhookCourier;
  readonly bulk: BulkStore;
  readonly audit: AuditTrail;
  readonly auditStore: AuditStore;
  /** Says that a bulk action waits. */
  readonly pokeBulk: () => void;
}

/** Who calls. */
export class Operator {
  readonly access: Access;
  readonly log: RecordedLog;
  readonly principalId: PrincipalId;
  /** May see the tasks of others. */
  readonly seesAll: boolean;
  /** May act on the tasks of others, and on workers, queues and keys. */
  readonly operates: boolean;

  constructor(access: Access, log: RecordedLog) {
    this.access = access;
    this.log = log;
    this.principalId = access.identity.principalId;
    this.seesAll = admits(access.scopes, 'ops:read');
    this.operates = admits(access.scopes, 'ops:write');
  }

  /** Whose tasks are meant; null: everybody's. */
  get visible(): PrincipalId | null {
    return this.seesAll ? null : this.principalId;
  }
}

type OutputOf<Name extends OperationName, Member extends string> =
  Operations[Name] extends Record<Member, infer Schema extends z.ZodType>
    ? z.output<Schema>
    : undefined;

/** A request of an operation, checked. */
export interface OperatorCall<Name extends OperationName> {
  readonly operator: Operator;
  readonly params: OutputOf<Name, 'params'>;
  readonly query: OutputOf<Name, 'query'>;
  readonly body: OutputOf<Name, 'body'>;
  readonly request: Request;
  readonly response: Response;
}

/** What an operation gives; of one that answers with no JSON, nothing: it has written the answer. */
export type Answer<Name extends OperationName> =
  Operations[Name]['answer'] extends infer Schema extends z.ZodType ? z.input<Schema> : undefined;

/** @throws {LongshoreError} mapped by `errorToHttp` */
export type Handler<Name extends OperationName> = (
  context: OperatorContext,
  call: OperatorCall<Name>,
) => Promise<Answer<Name>>;

/** The handlers of some operations. */
export type Handlers<Names extends OperationName> = { readonly [Name in Names]: Handler<Name> };

export const notFound = (what: string): LongshoreError =>
  new LongshoreError('NOT_FOUND', `There is no ${what}`);
