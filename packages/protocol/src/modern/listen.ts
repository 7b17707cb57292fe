import type { JsonObject, RequestId } from '@longshore/core';
import type { ServerIdentity } from '../legacy/initialize.ts';
import { isObject } from '../shared/json-object.ts';
import { type JsonRpcNotification, notification } from '../shared/json-rpc.ts';
import { SUBSCRIPTION_ID_META } from '../shared/meta-keys.ts';
import type { ListenFilter } from './params.ts';
import { completeResult } from './results.ts';

/**
 * The first message on a subscriptions/listen stream.
 *
 * @param subscriptionId JSON-RPC id of the listen request, in its own type
 * @param honored the part of the client's filter that is served; tasks the client does not own are left out
 * @see 2026-07-28 basic/patterns/subscriptions, "Acknowledgment"
 */
export function acknowledged(
  subscriptionId: RequestId,
  honored: ListenFilter,
): JsonRpcNotification {
  const { toolsListChanged, promptsListChanged, resourcesListChanged } = honored;
  const { resourceSubscriptions, taskIds } = honored;
  const notifications: JsonObject = {
    ...(toolsListChanged === true ? { toolsListChanged } : {}),
    ...(promptsListChanged === true ? { promptsListChanged } : {}),
    ...(resourcesListChanged === true ? { resourcesListChanged } : {}),
    ...(resourceSubscriptions === undefined ? {} : { resourceSubscriptions }),
    ...(taskIds === undefined ? {} : { taskIds }),
  };
  return onSubscription(
    subscriptionId,
    notification('notifications/subscriptions/acknowledged', { notifications }),
  );
}

/** Any notification with the mark that every message of a listen stream must carry. */
export function onSubscription(
  subscriptionId: RequestId,
  message: JsonRpcNotification,
): JsonRpcNotification {
  const params = message.params ?? {};
  const meta = params['_meta'];
  return {
    ...message,
    params: {
      ...params,
      _meta: { ...(isObject(meta) ? meta : {}), [SUBSCRIPTION_ID_META]: subscriptionId },
    },
  };
}

/** notifications/tasks with a DetailedTask; goes out through `onSubscription` to who listens to its id. */
export function taskNotification(detailed: JsonObject): JsonRpcNotification {
  return notification('notifications/tasks', detailed);
}

/** The answer to the listen request, when the server ends the stream of its own accord. */
export function listenResult(
  subscriptionId: RequestId,
  server: Pick<ServerIdentity, 'name' | 'version'>,
): JsonObject {
  return completeResult({ _meta: { [SUBSCRIPTION_ID_META]: subscriptionId } }, server);
}
