import { setTimeout as sleep } from 'node:timers/promises';
import { BEAT_META } from '@longshore/protocol';
import * as z from 'zod';
import { type McpClient, ServerError } from './mcp-client.ts';
import type { ProgressState } from './progress-line.ts';

/** The task of `tasks/get`. */
export const TaskState = z.looseObject({
  taskId: z.string(),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string().optional(),
  createdAt: z.string(),
  lastUpdatedAt: z.string(),
  pollIntervalMs: z.number().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
  inputRequests: z.record(z.string(), z.unknown()).optional(),
});
export type TaskState = z.output<typeof TaskState>;

const Progress = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
  _meta: z.object({ [BEAT_META]: z.boolean().optional() }).optional(),
});

const PROGRESS_TOKEN = 'task';
/** The server suggests its own; a task that waits for somebody needs no hurry. */
const DEFAULT_PAUSE_MS = 1_000;

export async function getTask(client: McpClient, taskId: string): Promise<TaskState> {
  return TaskState.parse(await client.request('tasks/get', { taskId }));
}

/**
 * Waits for the end of a task. Progress comes on the stream of `job_wait` where the server has it, and else
 * from `tasks/get`, which is also what says that the task has ended.
 *
 * @param signal gives up the wait; the task goes on
 * @param onQuestion called when the task waits for an answer that somebody else has to give
 */
export async function followTask(
  client: McpClient,
  taskId: string,
  options: {
    signal: AbortSignal;
    onProgress: (state: ProgressState) => void;
    onQuestion: (task: TaskState) => void;
  },
): Promise<TaskState> {
  const { signal, onProgress, onQuestion } = options;
  let hasJobTools = true;
  let wasAsking = false;
  for (;;) {
    const task = await getTask(client, taskId);
    if (task.status !== 'working' && task.status !== 'input_required') return task;
    onProgress({ progress: null, total: null, message: task.statusMessage ?? null });
    const isAsking = task.status === 'input_required';
    if (isAsking && !wasAsking) onQuestion(task);
    wasAsking = isAsking;
    if (hasJobTools && !isAsking) hasJobTools = await waitOnStream(client, taskId, options);
    else await sleep(task.pollIntervalMs ?? DEFAULT_PAUSE_MS, undefined, { signal });
  }
}

/** @returns whether the server has the tool */
async function waitOnStream(
  client: McpClient,
  taskId: string,
  options: { signal: AbortSignal; onProgress: (state: ProgressState) => void },
): Promise<boolean> {
  try {
    await client.request(
      'tools/call',
      { name: 'job_wait', arguments: { task_id: taskId } },
      {
        signal: options.signal,
        isRepeatable: true,
        meta: { progressToken: PROGRESS_TOKEN },
        onNotification: (method, params) => {
          const found = Progress.safeParse(params);
          if (method !== 'notifications/progress' || !found.success) return;
          const { progress, total = null, message = null, _meta } = found.data;
          if (_meta?.[BEAT_META] === true) return;
          options.onProgress({ progress, total, message });
        },
      },
    );
    return true;
  } catch (error) {
    if (error instanceof ServerError) return false;
    throw error;
  }
}
