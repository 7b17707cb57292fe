import * as z from 'zod';
import { Job } from './jobs.ts';
import type { McpClient } from './mcp-client.ts';
import type { ProgressLine } from './progress-line.ts';

const Event = z.looseObject({
  kind: z.string(),
  at: z.string(),
  attempt: z.number().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});
export type Event = z.output<typeof Event>;

/** What GET of /tasks/ID/history answers. */
const History = z.looseObject({
  task: Job,
  arguments: z.record(z.string(), z.unknown()),
  attempt: z.number(),
  max_attempts: z.number(),
  /** Of the task, and of what it has started and has not ended. */
  lost_workers: z.number(),
  waits_for: z.string().optional(),
  events: z.array(Event),
});
export type History = z.output<typeof History>;

/** Null: of another server than this one's, or of one before it. */
export async function taskHistory(
  client: McpClient,
  taskId: string,
  signal: AbortSignal,
): Promise<History | null> {
  const response = await client.download(`tasks/${encodeURIComponent(taskId)}/history`, signal);
  if (!response.ok) {
    await response.body?.cancel();
    return null;
  }
  return History.safeParse(await response.json()).data ?? null;
}

/** How long nothing has to move before the user is told what is the matter, in milliseconds. */
const STALLED_MS = 3_000;

/** Shows of a task that does not move how far it is, says what it waits for, and when a worker of it was lost. */
export class StallWatch {
  readonly #timer: NodeJS.Timeout;
  readonly #over = new AbortController();
  #isAsking = false;
  #waitsFor: string | undefined;
  #lost = 0;

  constructor(client: McpClient, taskId: string, line: ProgressLine) {
    this.#timer = setInterval(() => void this.#ask(client, taskId, line), STALLED_MS).unref();
  }

  /** It has moved. */
  moved(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#over.abort();
  }

  async #ask(client: McpClient, taskId: string, line: ProgressLine): Promise<void> {
    if (this.#isAsking || client.isAway) return;
    this.#isAsking = true;
    try {
      const history = await taskHistory(client, taskId, this.#over.signal);
      if (history === null || this.#over.signal.aborted) return;
      const { lost_workers: lost, waits_for: waitsFor } = history;
      if (lost > this.#lost) line.say('a worker was lost: what it ran goes on elsewhere');
      if (waitsFor !== undefined && waitsFor !== this.#waitsFor) {
        line.say(`it waits for ${waitsFor}`);
      }
      line.catchUp(history.task);
      this.#lost = lost;
      this.#waitsFor = waitsFor;
    } catch {
      // Who follows the task hears of a server that is away.
    } finally {
      this.#isAsking = false;
    }
  }
}
