import type { LongshoreError } from '@longshore/core';
import { MissingCredentials } from './bearer-token.ts';

/**
 * Makes the WWW-Authenticate header of a 401 or 403; null for other errors.
 *
 * @see RFC 6750, 3 · 2025-11-25 basic/authorization, "Scope Challenge Handling"
 */
export type Challenge = (error: LongshoreError) => string | null;

/** @param always parameters of every challenge */
export function bearerChallenge(always: Readonly<Record<string, string>>): Challenge {
  return ({ code, cause, details }) => {
    if (code === 'UNAUTHENTICATED') {
      const isMissing = cause instanceof MissingCredentials;
      return bearer({ ...(isMissing ? {} : { error: 'invalid_token' }), ...always });
    }
    if (code !== 'INSUFFICIENT_SCOPE') return null;
    const scopes = details?.['requiredScopes'];
    return bearer({
      error: 'insufficient_scope',
      ...always,
      scope: Array.isArray(scopes) ? scopes.join(' ') : '',
      error_description: 'The request needs a scope that the credentials lack',
    });
  };
}

/** Values are ours or have the form of a scope: there is nothing to be escaped. */
function bearer(parameters: Readonly<Record<string, string>>): string {
  const text = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${text.join(', ')}`;
}
