import type { ListedTask, NamedPrincipal, Progress } from '@longshore/core';
import type { AnswerOf } from '@longshore/operator';

/** A task as lists have it. */
export type ShownTask = AnswerOf<'GET /tasks'>['tasks'][number];

export function showTask(task: ListedTask): ShownTask {
  return {
    id: task.id,
    phase: task.phase,
    tool: task.toolName,
    queue: task.queue,
    principal: showPrincipal(task.principal),
    era: task.era,
    method: task.method,
    parentId: task.parentId,
    attempt: task.attempt,
    failures: task.failures,
    maxAttempts: task.maxAttempts,
    progress: showProgress(task.progress),
    message: task.message,
    workerId: task.workerId,
    hasChildren: task.hasCalled,
    createdAt: task.createdAt.toISOString(),
    startedAt: instant(task.startedAt),
    finishedAt: instant(task.finishedAt),
  };
}

export const showProgress = (progress: Progress | null): ShownTask['progress'] =>
  progress === null
    ? null
    : { done: progress.progress, total: progress.total, message: progress.message };

export const showPrincipal = (principal: NamedPrincipal | null): ShownTask['principal'] =>
  principal === null
    ? null
    : { id: principal.id, kind: principal.kind, subject: principal.subject };

export const instant = (date: Date | null): string | null => date?.toISOString() ?? null;
