import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';

const Task = z.looseObject({
  taskId: z.string(),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string().optional(),
});
const Created = z.looseObject({ task: Task });
const CallResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});
const Progress = z.looseObject({
  progressToken: z.union([z.string(), z.number()]),
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});

export type TaskStatus = z.infer<typeof Task>['status'];
export type CallResult = z.infer<typeof CallResult>;
export type Progress = z.infer<typeof Progress>;

/** A wait for a task may take long; the server keeps it alive. */
const RESULT_TIMEOUT_MS = 300_000;

/** MCP tasks (2025-11-25) over the official client, which knows their wire but has no methods for them. */
export class TaskClient {
  readonly #client = new Client({ name: 'longshore-demo', version: '0.1.0' });

  async connect(url: string, onProgress: (progress: Progress) => void): Promise<void> {
    this.#client.setNotificationHandler('notifications/progress', (notification) => {
      const progress = Progress.safeParse(notification.params);
      if (progress.success) onProgress(progress.data);
    });
    await this.#client.connect(new StreamableHTTPClientTransport(new URL(url)));
  }

  async toolNames(): Promise<string[]> {
    const { tools } = await this.#client.listTools();
    return tools.map((tool) => tool.name);
  }

  /** Starts a tool as a task; its progress carries `token`. */
  async submit(name: string, args: object, token: string): Promise<string> {
    const params = {
      name,
      arguments: { ...args },
      task: { ttl: 3_600_000 },
      _meta: { progressToken: token },
    };
    const { task } = await this.#client.request({ method: 'tools/call', params }, Created);
    return task.taskId;
  }

  async status(taskId: string): Promise<z.infer<typeof Task>> {
    return this.#client.request({ method: 'tasks/get', params: { taskId } }, Task);
  }

  /** Waits for the task and returns what the tool returned. */
  async result(taskId: string): Promise<CallResult> {
    return this.#client.request({ method: 'tasks/result', params: { taskId } }, CallResult, {
      timeout: RESULT_TIMEOUT_MS,
    });
  }

  async cancel(taskId: string): Promise<TaskStatus> {
    const { status } = await this.#client.request(
      { method: 'tasks/cancel', params: { taskId } },
      Task,
    );
    return status;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
