import { type BatchStore, type EventBus, type TaskId, workerTopic } from '@longshore/core';

/** Cancels tasks that a task has started, with theirs, and stops whoever runs them. `children` null: all. */
export async function cancelStarted(
  store: BatchStore,
  bus: Pick<EventBus, 'publish'>,
  taskId: TaskId,
  children: readonly TaskId[] | null,
): Promise<void> {
  const ended = await store.cancelDescendants(taskId, children);
  for (const { id, workerId } of ended) {
    if (workerId !== null) void bus.publish(workerTopic(workerId), { kind: 'cancel', taskId: id });
  }
}
