import type { JsonObject, Session } from '@longshore/core';
import { requireResource } from '../catalogue/require-resource.ts';
import type { ApiContext } from '../methods/api-context.ts';

/**
 * resources/subscribe: the session's GET stream tells when the resource changes, on whatever replica it is.
 *
 * @throws {LongshoreError} RESOURCE_NOT_FOUND · INVALID_PARAMS when the session has too many subscriptions
 * @see 2025-11-25 server/resources, "Subscriptions"
 */
export async function subscribeResource(
  context: ApiContext,
  session: Session,
  params: { uri: string },
): Promise<JsonObject> {
  requireResource(context.catalogue, params.uri);
  await context.sessions.subscribe(session, params.uri);
  return {};
}

/** resources/unsubscribe: also of what was never subscribed to, or is gone. */
export async function unsubscribeResource(
  context: ApiContext,
  session: Session,
  params: { uri: string },
): Promise<JsonObject> {
  await context.sessions.unsubscribe(session, params.uri);
  return {};
}
