import {
  type ApiKey,
  CREDENTIALS_TOPIC,
  isScope,
  type ListedPrincipal,
  LongshoreError,
  type PrincipalLimits,
} from '@longshore/core';
import type { AnswerOf } from '@longshore/operator';
import { newKeySecret } from '@longshore/runtime';
import { placePage } from '../tasks/place-page.ts';
import { type Handlers, notFound, type Operator, type OperatorContext } from './operation.ts';
import { instant } from './show-task.ts';

export const accessOperations: Handlers<
  | 'GET /me'
  | 'GET /session'
  | 'POST /session'
  | 'DELETE /session'
  | 'GET /principals'
  | 'GET /keys'
  | 'POST /keys'
  | 'POST /keys/{id}/revoke'
> = {
  'GET /me': (context, { operator }) => me(context, operator),

  'GET /session': ({ auth, oauth }) => Promise.resolve({ auth, hasOAuthLogin: oauth !== null }),

  'POST /session': async (context, { body, request, response }) =>
    me(context, await context.logins.begin(body.key, request, response)),

  'DELETE /session': (context, { request, response }) => {
    context.logins.end(request, response);
    return Promise.resolve({});
  },

  'GET /principals': async ({ store }, { query }) => {
    const { rows, next } = await placePage<ListedPrincipal>('principals', query, (limit, after) =>
      store.principals(limit, after),
    );
    const principals = rows.map(({ createdAt, ...principal }) => ({
      ...principal,
      createdAt: createdAt.toISOString(),
    }));
    return { principals, next };
  },

  'GET /keys': async ({ keys }) => ({ keys: (await keys.list()).map(showKey) }),

  'POST /keys': async ({ keys }, { operator, body }) => {
    requireKnownScopes(body.scopes);
    const { secret, prefix, hash } = newKeySecret();
    const key = await keys.create({
      principal: body.principal ?? null,
      name: body.name,
      prefix,
      hash,
      scopes: body.scopes,
      limits: body.limits === undefined ? null : limitsOf(body.limits),
      expiresInMs: body.expiresInMs ?? null,
    });
    operator.log.info({ keyId: key.id, scopes: key.scopes }, 'API key made');
    operator.log.audit('key_made', { kind: 'key', id: key.id }, { scopes: key.scopes.join(' ') });
    return { key: showKey(key), secret };
  },

  'POST /keys/{id}/revoke': async ({ keys, bus }, { operator, params }) => {
    const key = await keys.revoke(params.id);
    if (key === null) throw notFound('API key of this id');
    // Committed first: should the message be lost, APIs notice within the seconds they trust a look-up.
    await bus.publish(CREDENTIALS_TOPIC, {
      kind: 'credential-revoked',
      authBindingId: key.authBindingId,
    });
    operator.log.info({ keyId: key.id }, 'API key revoked');
    operator.log.audit('key_revoked', { kind: 'key', id: key.id });
    return { key: showKey(key) };
  },
};

async function me(
  { version, auth, store }: OperatorContext,
  { principalId, access, seesAll, operates }: Operator,
): Promise<AnswerOf<'GET /me'>> {
  const named = await store.principal(principalId);
  return {
    version,
    auth,
    principal: {
      id: principalId,
      kind: named?.kind ?? 'anonymous',
      subject: named?.subject ?? '',
    },
    scopes: access.scopes === null ? null : [...access.scopes],
    seesAll,
    operates,
  };
}

/** @throws {LongshoreError} INVALID_PARAMS */
function requireKnownScopes(scopes: readonly string[]): void {
  const unknown = scopes.filter((scope) => !isScope(scope));
  if (unknown.length > 0) {
    throw new LongshoreError('INVALID_PARAMS', `There is no scope ${unknown.join(', ')}`);
  }
}

function limitsOf(
  limits: {
    readonly [Name in keyof PrincipalLimits]?: number | undefined;
  },
): Partial<PrincipalLimits> {
  return Object.fromEntries(
    Object.entries(limits).filter(([, value]) => value !== undefined),
  ) as Partial<PrincipalLimits>;
}

function showKey(key: ApiKey): AnswerOf<'GET /keys'>['keys'][number] {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    principal: key.principal,
    scopes: [...key.scopes],
    limits: key.limits,
    createdAt: key.createdAt.toISOString(),
    expiresAt: instant(key.expiresAt),
    revokedAt: instant(key.revokedAt),
    lastUsedAt: instant(key.lastUsedAt),
  };
}
