import { type EndedTask, type EventBus, workerTopic } from '@longshore/core';

/** Tells whoever runs tasks that were just cancelled. */
export function stopCancelled(
  bus: Pick<EventBus, 'publish'>,
  cancelled: readonly EndedTask[],
): void {
  for (const { id, workerId } of cancelled) {
    if (workerId !== null) void bus.publish(workerTopic(workerId), { kind: 'cancel', taskId: id });
  }
}
