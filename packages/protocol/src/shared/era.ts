import type { Era } from '@longshore/core';
import { isObject } from './json-object.ts';
import { ENVELOPE_META } from './meta-keys.ts';
import { MODERN_VERSION } from './versions.ts';

/**
 * Which protocol era a POST belongs to. The body decides: an envelope key in `params._meta` makes it
 * modern whatever else it says; without one, only the modern version header does. A progressToken is no
 * envelope key, both eras have it.
 *
 * @param versionHeader value of MCP-Protocol-Version, if any
 * @see 2026-07-28 basic/versioning, "both eras on one endpoint"
 */
export function classifyEra(body: unknown, versionHeader: string | undefined): Era {
  if (hasEnvelope(body)) return 'modern';
  return versionHeader === MODERN_VERSION ? 'modern' : 'legacy';
}

function hasEnvelope(body: unknown): boolean {
  if (!isObject(body) || !isObject(body['params'])) return false;
  const meta = body['params']['_meta'];
  return isObject(meta) && ENVELOPE_META.some((key) => Object.hasOwn(meta, key));
}
