import {
  type ClientAbilities,
  LOG_LEVELS,
  type LogLevel,
  LongshoreError,
  type ProgressToken,
} from '@longshore/core';
import { parseClientAbilities } from '../shared/client-abilities.ts';
import { isObject } from '../shared/json-object.ts';
import { isRequestId } from '../shared/json-rpc.ts';
import {
  CLIENT_CAPABILITIES_META,
  CLIENT_INFO_META,
  LOG_LEVEL_META,
  PROTOCOL_VERSION_META,
} from '../shared/meta-keys.ts';

/** What a modern request says about itself in `params._meta`. */
export interface Envelope {
  readonly protocolVersion: string;
  readonly clientCapabilities: ClientAbilities;
  /** Self-reported, for display and logs; null when absent or not in its form. */
  readonly clientInfo: { readonly name: string; readonly version: string } | null;
  /** Least severe log message wanted on this request's stream; null: none is. */
  readonly logLevel: LogLevel | null;
  readonly progressToken: ProgressToken | null;
}

/** The members every request must have, before anything is said about the revision. */
export interface RequiredEnvelope {
  readonly protocolVersion: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * @throws {LongshoreError} MISSING_ENVELOPE when `_meta` lacks the version or the capabilities
 * @see 2026-07-28 basic/index, "Request metadata"
 */
export function requiredEnvelope(params: Record<string, unknown> | undefined): RequiredEnvelope {
  const meta = params?.['_meta'];
  if (!isObject(meta)) throw missing('params._meta is required');
  const protocolVersion = meta[PROTOCOL_VERSION_META];
  if (typeof protocolVersion !== 'string') {
    throw missing(`_meta["${PROTOCOL_VERSION_META}"] must be a string`);
  }
  if (!isObject(meta[CLIENT_CAPABILITIES_META])) {
    throw missing(`_meta["${CLIENT_CAPABILITIES_META}"] must be an object`);
  }
  return { protocolVersion, meta };
}

/**
 * The rest of the envelope, once its revision is known to be ours.
 *
 * @throws {LongshoreError} MISSING_ENVELOPE for an unknown log level (2026-07-28 server/utilities/logging,
 * "Error Handling") and for a progressToken that is no string or integer
 */
export function fullEnvelope({ protocolVersion, meta }: RequiredEnvelope): Envelope {
  return {
    protocolVersion,
    clientCapabilities: parseClientAbilities(meta[CLIENT_CAPABILITIES_META]),
    clientInfo: clientInfo(meta[CLIENT_INFO_META]),
    logLevel: logLevel(meta[LOG_LEVEL_META]),
    progressToken: progressToken(meta['progressToken']),
  };
}

function clientInfo(raw: unknown): Envelope['clientInfo'] {
  if (!isObject(raw)) return null;
  const { name, version } = raw;
  return typeof name === 'string' && typeof version === 'string' ? { name, version } : null;
}

function logLevel(raw: unknown): LogLevel | null {
  if (raw === undefined) return null;
  const level = LOG_LEVELS.find((known) => known === raw);
  if (level === undefined) {
    throw missing(`_meta["${LOG_LEVEL_META}"] must be one of ${LOG_LEVELS.join(', ')}`);
  }
  return level;
}

function progressToken(raw: unknown): ProgressToken | null {
  if (raw === undefined) return null;
  if (!isRequestId(raw)) throw missing('_meta.progressToken must be a string or an integer');
  return raw;
}

function missing(problem: string): LongshoreError {
  return new LongshoreError('MISSING_ENVELOPE', `Invalid params: ${problem}`);
}
