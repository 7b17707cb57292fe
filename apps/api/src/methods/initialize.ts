import { type Identity, type JsonObject, LongshoreError, type Session } from '@longshore/core';
import {
  type HandshakeVersion,
  type InitializeParams,
  initializeResult,
  negotiateVersion,
} from '@longshore/protocol';
import type { ApiContext } from './api-context.ts';

/**
 * initialize: negotiates a revision and opens a session, stored so that every replica knows it.
 *
 * @param identity who owns the session; null: it is a principal of its own
 * @param revision the one there is on this transport; null: what the client asks for, if it is spoken
 * @see 2025-11-25 basic/lifecycle
 */
export async function initialize(
  context: ApiContext,
  params: InitializeParams,
  identity: Identity | null,
  revision: HandshakeVersion | null,
): Promise<{ result: JsonObject; session: Session }> {
  if (params.clientInfo.name.length > 256 || params.clientInfo.version.length > 256) {
    throw new LongshoreError(
      'INVALID_PARAMS',
      'clientInfo.name and version are 256 characters at most',
    );
  }
  const version = revision ?? negotiateVersion(params.protocolVersion);
  const session = await context.sessions.create({
    protocolVersion: version,
    clientInfo: { name: params.clientInfo.name, version: params.clientInfo.version },
    clientCapabilities: params.capabilities,
    identity,
  });
  return { result: initializeResult(version, context.server), session };
}
