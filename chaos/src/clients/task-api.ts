import * as z from 'zod';
import { wordFor } from '../plan/expected.ts';
import { type Answer, pause } from './client.ts';
import { type End, endOfError, endOfResult } from './end.ts';
import type { LegacyClient } from './legacy-client.ts';
import type { ModernClient } from './modern-client.ts';

/** A tool call as it is sent. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** `dev.longshore/idempotencyKey` */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type Accepted =
  | { readonly kind: 'accepted'; readonly taskId: string }
  /** The server refused for good, which no plan asks for. */
  | { readonly kind: 'refused'; readonly end: End };

/**
 * What a cancellation came to. `cancelled`: it is; `ended`: it had ended before; `acknowledged`: one of the
 * two (2026-07-28 does not tell); `not_found`: nobody knows it.
 */
export type CancelAnswer = 'cancelled' | 'ended' | 'acknowledged' | 'not_found';

/** What a client does with tasks, in one era. All of it goes on until it has its answer. */
export interface TaskApi {
  submit(call: ToolCall, ttlMs: number | null): Promise<Accepted>;
  cancel(taskId: string): Promise<CancelAnswer>;
  /** Stays with the task until it has ended, and answers its questions. */
  follow(taskId: string): Promise<End>;
  /** How the task stands now; null: it has not ended. */
  look(taskId: string): Promise<End | null>;
  /** A plain call, without a task. */
  call(call: ToolCall): Promise<End>;
}

const POLL_MS = 400;

function endOf(answer: Answer): End {
  return answer.kind === 'error' ? endOfError(answer.error) : endOfResult(answer.result);
}

const LegacyCreated = z.object({ task: z.object({ taskId: z.string() }) });
const LegacyTask = z.object({ status: z.string() });

export function legacyTasks(client: LegacyClient): TaskApi {
  return {
    submit: async (call, ttlMs) => {
      const task = ttlMs === null ? {} : { ttl: ttlMs };
      const answer = await client.request('tools/call', { ...call, task });
      if (answer.kind === 'error') return { kind: 'refused', end: endOfError(answer.error) };
      return { kind: 'accepted', taskId: LegacyCreated.parse(answer.result).task.taskId };
    },
    cancel: async (taskId) => {
      const answer = await client.request('tasks/cancel', { taskId });
      if (answer.kind === 'result') return 'cancelled';
      if (answer.error.name === 'TASK_TERMINAL') return 'ended';
      if (answer.error.name === 'TASK_NOT_FOUND') return 'not_found';
      throw new Error(`tasks/cancel: ${answer.error.message}`);
    },
    follow: async (taskId) => endOf(await client.requestResuming('tasks/result', { taskId })),
    look: async (taskId) => {
      const answer = await client.request('tasks/get', { taskId });
      if (answer.kind === 'error') return endOfError(answer.error);
      const { status } = LegacyTask.parse(answer.result);
      if (status === 'working' || status === 'input_required') return null;
      return endOf(await client.request('tasks/result', { taskId }));
    },
    call: async (call) => endOf(await client.requestResuming('tools/call', call)),
  };
}

const ModernCreated = z.object({ resultType: z.literal('task'), taskId: z.string() });
const ModernTask = z.looseObject({
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
  inputRequests: z
    .record(z.string(), z.object({ params: z.object({ message: z.string() }) }))
    .optional(),
});
type ModernTask = z.infer<typeof ModernTask>;

export function modernTasks(client: ModernClient, signal: AbortSignal): TaskApi {
  const get = async (taskId: string): Promise<ModernTask | End> => {
    const answer = await client.request('tasks/get', { taskId });
    return answer.kind === 'error' ? endOfError(answer.error) : ModernTask.parse(answer.result);
  };
  const answerQuestions = async (taskId: string, task: ModernTask): Promise<void> => {
    const questions = Object.entries(task.inputRequests ?? {});
    if (questions.length === 0) return;
    const inputResponses = Object.fromEntries(
      questions.map(([key, { params }]) => {
        const word = wordFor(Number(/\d+/.exec(params.message)?.[0]));
        return [key, { action: 'accept', content: { word } }];
      }),
    );
    await client.request('tasks/update', { taskId, inputResponses });
  };
  return {
    submit: async (call) => {
      const answer = await client.request('tools/call', { ...call });
      if (answer.kind === 'error') return { kind: 'refused', end: endOfError(answer.error) };
      const created = ModernCreated.safeParse(answer.result);
      if (created.success) return { kind: 'accepted', taskId: created.data.taskId };
      return { kind: 'refused', end: endOfResult(answer.result) };
    },
    cancel: async (taskId) => {
      const answer = await client.request('tasks/cancel', { taskId });
      if (answer.kind === 'result') return 'acknowledged';
      if (answer.error.name === 'TASK_NOT_FOUND') return 'not_found';
      throw new Error(`tasks/cancel: ${answer.error.message}`);
    },
    follow: async (taskId) => {
      for (;;) {
        const task = await get(taskId);
        if (!('status' in task)) return task;
        const end = modernEnd(task);
        if (end !== null) return end;
        if (task.status === 'input_required') await answerQuestions(taskId, task);
        await pause(POLL_MS, signal);
      }
    },
    look: async (taskId) => {
      const task = await get(taskId);
      return 'status' in task ? modernEnd(task) : task;
    },
    call: async (call) => endOf(await client.request('tools/call', { ...call }, { tasks: false })),
  };
}

function modernEnd(task: ModernTask): End | null {
  switch (task.status) {
    case 'working':
    case 'input_required':
      return null;
    case 'completed':
      return endOfResult(task.result);
    case 'failed':
      return { kind: 'error', code: task.error?.code ?? 0, message: task.error?.message ?? '' };
    case 'cancelled':
      return { kind: 'cancelled' };
  }
}
