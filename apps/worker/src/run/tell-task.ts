import {
  type Claim,
  childrenTopic,
  type EndedTask,
  type EventBus,
  taskTopic,
  workerTopic,
} from '@longshore/core';

/** Says that a task changed, to whoever waits for it: its client, and the task that started it. */
export function tellTask(
  bus: Pick<EventBus, 'publish'>,
  { taskId, sessionId, parentTaskId }: Pick<Claim, 'taskId' | 'sessionId' | 'parentTaskId'>,
): void {
  void bus.publish(taskTopic({ id: taskId, sessionId }), { kind: 'changed', taskId });
  if (parentTaskId === null) return;
  void bus.publish(childrenTopic(parentTaskId), { kind: 'changed', taskId });
}

/** Tells whoever runs tasks that were just cancelled. */
export function stopCancelled(
  bus: Pick<EventBus, 'publish'>,
  cancelled: readonly EndedTask[],
): void {
  for (const { id, workerId } of cancelled) {
    if (workerId !== null) void bus.publish(workerTopic(workerId), { kind: 'cancel', taskId: id });
  }
}
