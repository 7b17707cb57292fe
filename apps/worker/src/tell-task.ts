import { type Claim, childrenTopic, type EventBus, taskTopic } from '@longshore/core';

/** Says that a task changed, to whoever waits for it: its client, and the task that started it. */
export function tellTask(
  bus: Pick<EventBus, 'publish'>,
  { taskId, sessionId, parentTaskId }: Pick<Claim, 'taskId' | 'sessionId' | 'parentTaskId'>,
): void {
  void bus.publish(taskTopic({ id: taskId, sessionId }), { kind: 'changed', taskId });
  if (parentTaskId === null) return;
  void bus.publish(childrenTopic(parentTaskId), { kind: 'changed', taskId });
}
