import type { Access, JsonObject, Session } from '@longshore/core';
import {
  type HandshakeVersion,
  type InitializeParams,
  initializeResult,
  negotiateVersion,
} from '@longshore/protocol';
import type { ApiContext } from '../methods/api-context.ts';

/**
 * initialize: negotiates a revision and opens a session, stored so that every replica knows it.
 *
 * @param revision the one there is on this transport; null: what the client asks for, if it is spoken
 * @throws {LongshoreError} TOO_MANY_SESSIONS
 * @see 2025-11-25 basic/lifecycle
 */
export async function initialize(
  context: ApiContext,
  params: InitializeParams,
  access: Access,
  revision: HandshakeVersion | null,
): Promise<{ result: JsonObject; session: Session }> {
  const version = revision ?? negotiateVersion(params.protocolVersion);
  const session = await context.sessions.create(
    {
      protocolVersion: version,
      clientInfo: params.clientInfo,
      clientCapabilities: params.capabilities,
      identity: access.sessionIdentity,
    },
    context.limitsOf(access).sessions,
  );
  return { result: initializeResult(version, context.server), session };
}
