import type { Config } from '@longshore/config';
import { type EventBus, LongshoreError, type Service } from '@longshore/core';
import type { Database } from '@longshore/database';
import { osUserName } from '@longshore/runtime';
import { AnonymousAuthenticator } from './anonymous-authenticator.ts';
import { ApiKeyAuthenticator } from './api-key-authenticator.ts';
import type { Authenticator } from './authenticator.ts';
import { bearerChallenge, type Challenge } from './challenge.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { LocalAuthenticator } from './local-authenticator.ts';
import { OAuthAuthenticator } from './oauth-authenticator.ts';
import { OpenResponses } from './open-responses.ts';
import { oauthChallenge, type ProtectedResource, resourceOf } from './resource-metadata.ts';

export interface Authentication {
  readonly authenticator: Authenticator;
  readonly challenge: Challenge;
  /** Null: credentials can not be revoked. */
  readonly openResponses: OpenResponses | null;
  /** Null: there is no authorization server. */
  readonly resource: ProtectedResource | null;
  /** To be started before the first request. */
  readonly services: readonly Service[];
}

/** What AUTH says, and beside it the user who started this API on this machine. */
export async function openAuthentication(options: {
  config: Config;
  database: Database;
  bus: EventBus;
}): Promise<Authentication> {
  const authentication = await configuredAuthentication(options);
  const { LOCAL_TOKEN: token } = options.config;
  if (token === null) return authentication;
  const identity = await options.database.identityStore.ensure('stdio', osUserName());
  const { authenticator: others } = authentication;
  return { ...authentication, authenticator: new LocalAuthenticator({ token, identity, others }) };
}

async function configuredAuthentication(options: {
  config: Config;
  database: Database;
  bus: EventBus;
}): Promise<Authentication> {
  const { config, database, bus } = options;
  switch (config.AUTH) {
    case 'none': {
      const anonymous = await database.identityStore.ensure('anonymous', 'local');
      const shared = config.ANONYMOUS_PRINCIPAL === 'shared';
      return {
        authenticator: new AnonymousAuthenticator(anonymous, shared),
        challenge: () => null,
        openResponses: null,
        resource: null,
        services: [],
      };
    }
    case 'api-key': {
      const authenticator = new ApiKeyAuthenticator({ store: database.apiKeyStore, bus });
      const openResponses = new OpenResponses(bus);
      return {
        authenticator,
        challenge: bearerChallenge({ realm: 'longshore' }),
        openResponses,
        resource: null,
        services: [authenticator, openResponses],
      };
    }
    case 'oauth': {
      const { OAUTH_ISSUER: issuer, PUBLIC_URL: publicUrl, OAUTH_AUDIENCE: audience } = config;
      if (issuer === null || publicUrl === null) {
        throw new LongshoreError('CONFIG_INVALID', 'AUTH=oauth needs OAUTH_ISSUER and PUBLIC_URL');
      }
      const resource = { publicUrl, issuer };
      return {
        authenticator: new OAuthAuthenticator({
          issuer,
          audience: audience ?? resourceOf(resource),
          keys: new IssuerKeys({ issuer }),
          identities: database.identityStore,
        }),
        challenge: bearerChallenge(oauthChallenge(resource)),
        openResponses: null,
        resource,
        services: [],
      };
    }
  }
}
