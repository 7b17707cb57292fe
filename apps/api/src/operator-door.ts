import { randomBytes } from 'node:crypto';
import type { Config } from '@longshore/config';
import { PeriodicService } from '@longshore/core';
import type { Database } from '@longshore/database';
import type { Pauses } from '@longshore/queue';
import type { RequestHandler } from 'express';
import type { CallContext } from './calls/call-context.ts';
import type { AuditTrail } from './edge/audit-trail.ts';
import type { Authentication } from './edge/auth/open-authentication.ts';
import { resourceOf } from './edge/auth/resource-metadata.ts';
import type { HostGuard } from './edge/host-guard.ts';
import type { RequestRates } from './edge/limits/request-rates.ts';
import { DashboardSessions } from './operator/dashboard-sessions.ts';
import { OAuthLogin } from './operator/oauth-login.ts';
import type { OperatorContext } from './operator/operation.ts';
import type { OperatorArea, OperatorAreaOptions } from './operator/operator-area.ts';

const INTERVAL_MS = 10_000;

/**
 * Opens what is there for operators when the first of them comes, or when something they began is to go on: the start of the
 * process does not wait for it.
 */
export class OperatorDoor extends PeriodicService {
  readonly #options: OperatorAreaOptions;
  #guard: HostGuard | null = null;
  #area: Promise<OperatorArea> | null = null;

  constructor(options: OperatorAreaOptions) {
    const { log } = options.operators;
    super({ name: 'door of operators', pace: 'beat', intervalMs: INTERVAL_MS, log });
    this.#options = options;
  }

  /** Leads to a part of the area. */
  to(part: 'api' | 'dashboard', guard: HostGuard): RequestHandler {
    this.#guard = guard;
    return async (request, response, next) => {
      (await this.#open(guard))[part](request, response, next);
    };
  }

  /** Looks whether a bulk action waits for an API to go on with it. */
  async runOnce(): Promise<void> {
    if (this.#area !== null || this.#guard === null) return;
    if (await this.#options.operators.bulk.hasWaiting()) await this.#open(this.#guard);
  }

  override async stop(): Promise<void> {
    await super.stop();
    const area = await this.#area?.catch(() => null);
    await area?.stop();
  }

  #open(guard: HostGuard): Promise<OperatorArea> {
    this.#area ??= import('./operator/operator-area.ts')
      .then(({ openOperatorArea }) => openOperatorArea(this.#options, guard))
      .catch((error: unknown) => {
        // Whoever comes next tries again.
        this.#area = null;
        throw error;
      });
    return this.#area;
  }
}

/**
 * Puts together what the door leads to.
 * @param options.operatorDatabase the same database, by connections of their own
 */
export async function openOperatorDoor(options: {
  readonly config: Config;
  readonly version: string;
  /** Directory of the built files of apps/dashboard. */
  readonly dashboard: string;
  readonly database: Database;
  readonly operatorDatabase: Database;
  readonly authentication: Authentication;
  readonly context: CallContext & { readonly rates: RequestRates };
  readonly pauses: Pauses;
  readonly webhooks: OperatorContext['webhooks'];
  readonly audit: AuditTrail;
}): Promise<OperatorDoor> {
  const { config, database, operatorDatabase, context, pauses, webhooks, audit } = options;
  const { authenticator, challenge, openResponses } = options.authentication;
  const candidate = randomBytes(32).toString('base64url');
  const logins = new DashboardSessions({
    authenticator,
    secret: await database.secretStore.ensure('dashboard-session', candidate),
    isSecure: config.PUBLIC_URL?.startsWith('https:') === true,
  });
  return new OperatorDoor({
    operators: {
      ...context,
      version: options.version,
      auth: config.AUTH,
      store: operatorDatabase.operatorStore,
      keys: database.apiKeyStore,
      logins,
      oauth: oauthLogin(config, logins),
      workers: database.catalogueStore,
      leaseMs: config.LEASE_MS,
      pauses,
      pauseStore: database.pauseStore,
      webhooks,
      bulk: database.bulkStore,
      audit,
      auditStore: operatorDatabase.auditStore,
    },
    authenticator,
    challenge,
    openResponses,
    dashboard: options.dashboard,
    maxBodyBytes: config.MAX_BODY_BYTES,
  });
}

/** Null: the dashboard is not logged into at an authorization server. */
function oauthLogin(config: Config, sessions: DashboardSessions): OAuthLogin | null {
  const { AUTH, OAUTH_ISSUER: issuer, OAUTH_CLIENT_ID: clientId, PUBLIC_URL: publicUrl } = config;
  if (AUTH !== 'oauth' || issuer === null || clientId === null || publicUrl === null) return null;
  return new OAuthLogin({
    issuer,
    clientId,
    clientSecret: config.OAUTH_CLIENT_SECRET,
    resource: config.OAUTH_AUDIENCE ?? resourceOf({ publicUrl, issuer }),
    scopes: config.OAUTH_LOGIN_SCOPES,
    publicUrl: new URL(publicUrl).origin,
    sessions,
  });
}
