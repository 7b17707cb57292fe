import type { RemoteTask } from '@longshore/core';
import * as z from 'zod';

/** How often a client is asked that does not say how often. */
const DEFAULT_POLL_MS = 1_000;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 60_000;

const HostedTask = z.object({
  taskId: z.string().min(1).max(1_024),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string().optional().catch(undefined),
  pollInterval: z.number().optional().catch(undefined),
});
const CreateTaskResult = z.object({ task: HostedTask });

export interface HostedTaskReport {
  readonly task: RemoteTask;
  readonly statusMessage: string | null;
}

/** Reads the answer to a question that a client made a task of; null when it is not one. */
export function parseHostedTaskCreated(result: unknown): HostedTaskReport | null {
  const parsed = CreateTaskResult.safeParse(result);
  return parsed.success ? report(parsed.data.task) : null;
}

/** Reads a client's answer to tasks/get; null when it is none. */
export function parseHostedTask(result: unknown): HostedTaskReport | null {
  const parsed = HostedTask.safeParse(result);
  return parsed.success ? report(parsed.data) : null;
}

function report(task: z.output<typeof HostedTask>): HostedTaskReport {
  const wish = Math.ceil(task.pollInterval ?? DEFAULT_POLL_MS);
  return {
    task: {
      taskId: task.taskId,
      status: task.status,
      pollIntervalMs: Math.min(Math.max(wish, MIN_POLL_MS), MAX_POLL_MS),
    },
    statusMessage: task.statusMessage ?? null,
  };
}
