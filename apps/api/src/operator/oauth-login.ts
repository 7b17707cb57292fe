import { LongshoreError } from '@longshore/core';
import type { Request, Response } from 'express';
import type { Configuration } from 'openid-client';
import { unauthenticated } from '../edge/auth/bearer-token.ts';
import type { DashboardSessions } from './dashboard-sessions.ts';

/** How long somebody may take at the authorization server. */
const MAX_AGE_S = 600;
const CALLBACK = '/api/v1/session/callback';
const TIMEOUT_S = 10;

export interface OAuthLoginOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client. */
  readonly clientSecret: string | null;
  /** What the token is for (RFC 8707). */
  readonly resource: string;
  readonly scopes: string;
  /** Where browsers reach this server, without a path. */
  readonly publicUrl: string;
  readonly sessions: DashboardSessions;
}

/**
 * The login of the dashboard at an authorization server: code flow with PKCE (RFC 7636). What is needed when the browser comes
 * back is in a cookie that only this server reads, so any API takes it.
 */
export class OAuthLogin {
  readonly #options: OAuthLoginOptions;
  #server: Promise<Configuration> | null = null;

  constructor(options: OAuthLoginOptions) {
    this.#options = options;
  }

  /** Sends the browser to the authorization server. @throws {LongshoreError} ISSUER_UNAVAILABLE */
  async begin(request: Request, response: Response): Promise<void> {
    const oauth = await import('openid-client');
    const { resource, scopes, publicUrl, sessions } = this.#options;
    const verifier = oauth.randomPKCECodeVerifier();
    const state = oauth.randomState();
    const returnTo = ownPath(request.query['return']);
    await sessions.keep(response, 'login', { verifier, state, returnTo }, MAX_AGE_S);
    const url = oauth.buildAuthorizationUrl(await this.#discovered(), {
      redirect_uri: `${publicUrl}${CALLBACK}`,
      scope: scopes,
      resource,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    response.redirect(303, url.href);
  }

  /** Takes the browser back with its code. @throws {LongshoreError} UNAUTHENTICATED · ISSUER_UNAVAILABLE */
  async finish(request: Request, response: Response): Promise<void> {
    const { sessions, publicUrl, resource } = this.#options;
    const login = await sessions.kept(request, 'login');
    if (login === null) throw unauthenticated('invalid', new Error('no login was begun'));
    const token = await this.#exchange(
      new URL(request.originalUrl, publicUrl),
      { verifier: String(login['verifier']), state: String(login['state']) },
      resource,
    );
    sessions.drop(response, 'login');
    await sessions.establish(token.access_token, token.expires_in ?? null, response);
    response.redirect(303, ownPath(login['returnTo']));
  }

  async #exchange(
    url: URL,
    { verifier, state }: { readonly verifier: string; readonly state: string },
    resource: string,
  ) {
    const oauth = await import('openid-client');
    const server = await this.#discovered();
    try {
      const checks = { pkceCodeVerifier: verifier, expectedState: state };
      return await oauth.authorizationCodeGrant(server, url, checks, { resource });
    } catch (cause) {
      throw unauthenticated('invalid', cause);
    }
  }

  #discovered(): Promise<Configuration> {
    this.#server ??= this.#discover().catch((cause: unknown) => {
      this.#server = null;
      throw new LongshoreError('ISSUER_UNAVAILABLE', 'The authorization server can not be asked', {
        cause,
      });
    });
    return this.#server;
  }

  async #discover(): Promise<Configuration> {
    const oauth = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.#options;
    const url = new URL(issuer);
    return oauth.discovery(
      url,
      clientId,
      clientSecret ?? undefined,
      clientSecret === null ? oauth.None() : undefined,
      {
        timeout: TIMEOUT_S,
        // Only on loopback, as the configuration has made sure.
        ...(url.protocol === 'http:' ? { execute: [oauth.allowInsecureRequests] } : {}),
      },
    );
  }
}

/** A page of the dashboard: nobody is sent elsewhere. */
function ownPath(wanted: unknown): string {
  const isOwn = typeof wanted === 'string' && /^\/dashboard(\/|$)/.test(wanted);
  return isOwn && !/[\\\s]/.test(wanted) ? wanted : '/dashboard/';
}
