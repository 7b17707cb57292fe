import { type JsonObject, LongshoreError } from '@longshore/core';
import {
  acknowledged,
  type JsonRpcNotification,
  type ListenFilter,
  listenResult,
  type ModernParamsOf,
  onSubscription,
  requireTasks,
  taskNotification,
} from '@longshore/protocol';
import { TaskFeed } from '../watch/task-feed.ts';
import type { ModernCall } from './modern-call.ts';
import type { ModernContext } from './modern-context.ts';

/** Tasks, and resources, that one stream may listen to. */
const MAX_IDS = 1_000;

/**
 * subscriptions/listen: an event stream of changes, which starts with what of the filter is honoured. Tasks
 * that the caller does not own are left out of it without a word, as unknown ones are. Of each task its
 * present state comes first, because the client may have missed others.
 *
 * A stream that listens to tasks and nothing else ends when all of them have ended; others end with the
 * client or with this process.
 *
 * @returns null when nobody listens any more, or the answer is another one (`call.answer`)
 * @throws {LongshoreError} MISSING_CAPABILITY · INVALID_PARAMS · NOT_ACCEPTABLE · TOO_MANY_STREAMS
 * @see 2026-07-28 basic/patterns/subscriptions
 */
export async function listen(
  context: ModernContext,
  call: ModernCall,
  { notifications: filter }: ModernParamsOf<'subscriptions/listen'>,
): Promise<JsonObject | null> {
  const { delivery, identity, envelope } = call;
  if (filter.taskIds !== undefined) requireTasks(envelope.clientCapabilities);
  checkSize('taskIds', filter.taskIds);
  checkSize('resourceSubscriptions', filter.resourceSubscriptions);
  delivery.requireStream();
  const giveBack = context.held.take(
    identity.principalId,
    context.limitsOf(call.access).openStreams,
  );
  const tell = (message: JsonRpcNotification): void => {
    delivery.notify(onSubscription(delivery.requestId, message));
  };
  const feed = new TaskFeed({
    context,
    owner: identity.principalId,
    tell: (task) => tell(taskNotification(task)),
  });
  try {
    const taskIds = await feed.open(filter.taskIds ?? []);
    delivery.notify(
      acknowledged(delivery.requestId, {
        ...filter,
        ...(filter.taskIds === undefined ? {} : { taskIds }),
      }),
    );
    const endBroadcasts = context.broadcasts.forFilter(broadcastsOf(filter)).subscribe(tell);
    try {
      await feed.run(delivery.signal);
      if (filter.taskIds === undefined || wantsBroadcasts(filter)) await aborted(delivery.signal);
    } finally {
      endBroadcasts();
    }
  } finally {
    giveBack();
    await feed.close();
  }
  if (delivery.stopped !== 'disconnected') {
    call.answer = listenResult(delivery.requestId, context.server);
  }
  return null;
}

function checkSize(name: string, list: readonly string[] | undefined): void {
  if (list === undefined || list.length <= MAX_IDS) return;
  throw new LongshoreError('INVALID_PARAMS', `${name} has over ${MAX_IDS} entries`);
}

function broadcastsOf(filter: ListenFilter) {
  return {
    toolsListChanged: filter.toolsListChanged ?? false,
    promptsListChanged: filter.promptsListChanged ?? false,
    resourcesListChanged: filter.resourcesListChanged ?? false,
    resourceSubscriptions: filter.resourceSubscriptions ?? [],
  };
}

function wantsBroadcasts(filter: ListenFilter): boolean {
  const { resourceSubscriptions, ...lists } = broadcastsOf(filter);
  return resourceSubscriptions.length > 0 || Object.values(lists).includes(true);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
