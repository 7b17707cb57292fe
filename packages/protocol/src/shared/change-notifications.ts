import type { JsonRpcNotification } from '../json-rpc.ts';

/** A list of the server that a client can see. Resources and their templates are one. */
export type ChangedList = 'tools' | 'prompts' | 'resources';

/** `notifications/<list>/list_changed`, the same in both eras but for the `_meta` of modern streams. */
export function listChangedNotification(list: ChangedList): JsonRpcNotification {
  return { jsonrpc: '2.0', method: `notifications/${list}/list_changed` };
}

/** The content behind `uri` changed: read it again (2025-11-25 server/resources, "Subscriptions"). */
export function resourceUpdatedNotification(uri: string): JsonRpcNotification {
  return { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } };
}
