import type { SessionId, TaskId, WorkerId } from './brand.ts';

/**
 * Where messages about a task go: its session's topic when it has a session, else its own. One topic
 * per session gives all listeners of that session the same order of messages, which is what lets them
 * agree, without asking each other, which stream carries a task's notifications.
 */
export function taskTopic(task: {
  readonly id: TaskId;
  readonly sessionId: SessionId | null;
}): string {
  return task.sessionId === null ? `task:${task.id}` : sessionTopic(task.sessionId);
}

/** Changes of the tasks that a task has started: the worker that runs it listens while it waits for them. */
export function childrenTopic(parent: TaskId): string {
  return `children:${parent}`;
}

export function sessionTopic(id: SessionId): string {
  return `session:${id}`;
}

/** Orders for one worker process, such as cancelling what it runs. */
export function workerTopic(id: WorkerId): string {
  return `worker:${id}`;
}

/** What one process sends to itself. */
export function probeTopic(id: string): string {
  return `probe:${id}`;
}

/** "The catalogue may have changed": every API listens. */
export const CATALOGUE_TOPIC = 'catalogue';

/** Sessions that ended: every API listens. */
export const SESSIONS_TOPIC = 'sessions';

/** What operators pause, resume and drain: every API and worker listens. */
export const PAUSES_TOPIC = 'pauses';

/** Resources whose content changed: every API listens. */
export const RESOURCES_TOPIC = 'resources';

/** Credentials that were revoked: every API listens. */
export const CREDENTIALS_TOPIC = 'credentials';

/** Signs of life of processes that have streams: every API listens. */
export const HUBS_TOPIC = 'hubs';
