import { GaveUp, pause } from '../clients/client.ts';
import type { End } from '../clients/end.ts';
import type { CancelAnswer, TaskApi, ToolCall } from '../clients/task-api.ts';
import type { PlannedTask } from '../plan/task-plan.ts';

/** What a client knows of a task it sent; filled in while the run goes on. */
export interface TaskRecord {
  readonly plan: PlannedTask;
  readonly taskId: string;
  cancel: { readonly answer: CancelAnswer; readonly atMs: number } | null;
  seen: End | null;
}

export interface LoadRecords {
  readonly tasks: TaskRecord[];
  readonly held: { readonly plan: PlannedTask; end: End | null }[];
  readonly refused: { readonly plan: PlannedTask; readonly end: End }[];
  /** Planned tasks that no API had accepted when the run was over. */
  unsent: number;
  /** What a client did not understand. */
  readonly errors: string[];
}

export interface LoadRunOptions {
  readonly plan: readonly PlannedTask[];
  readonly apiOf: (plan: PlannedTask) => TaskApi;
  readonly ledger: string;
  /** Clients that are busy at once; the load waits for one to be free. */
  readonly clients: number;
  /** Fires when no more answers are waited for. */
  readonly signal: AbortSignal;
}

/** Sends the planned tasks at their times. Resolves when each has ended as far as its client can see. */
export async function runLoad(options: LoadRunOptions): Promise<LoadRecords> {
  const { plan, clients, signal } = options;
  const records: LoadRecords = { tasks: [], held: [], refused: [], unsent: 0, errors: [] };
  const startedAt = performance.now();
  const busy = new Set<Promise<void>>();
  for (const task of plan) {
    const waitMs = task.atMs - (performance.now() - startedAt);
    if (waitMs > 0) await pause(waitMs, signal).catch(() => {});
    while (busy.size >= clients) await Promise.race(busy);
    const one = runTask(task, options, records).then(() => {
      busy.delete(one);
    });
    busy.add(one);
  }
  await Promise.all(busy);
  return records;
}

async function runTask(
  plan: PlannedTask,
  options: LoadRunOptions,
  records: LoadRecords,
): Promise<void> {
  try {
    if (plan.kind === 'held') await runHeld(plan, options, records);
    else await runAccepted(plan, options, records);
  } catch (error) {
    if (error instanceof GaveUp) return;
    records.errors.push(`${plan.kind} task ${plan.index}: ${String(error)}`);
  }
}

function callOf(
  { tool, arguments: args, kind, idempotencyKey: key }: PlannedTask,
  ledger: string,
): ToolCall {
  return {
    name: tool,
    arguments: kind === 'effects' ? { ...args, ledger } : args,
    ...(key === null ? {} : { _meta: { 'dev.longshore/idempotencyKey': key } }),
  };
}

async function runHeld(
  plan: PlannedTask,
  { apiOf, ledger }: LoadRunOptions,
  records: LoadRecords,
): Promise<void> {
  const record: LoadRecords['held'][number] = { plan, end: null };
  records.held.push(record);
  record.end = await apiOf(plan).call(callOf(plan, ledger));
}

async function runAccepted(
  plan: PlannedTask,
  { apiOf, ledger, signal }: LoadRunOptions,
  records: LoadRecords,
): Promise<void> {
  const api = apiOf(plan);
  records.unsent += 1;
  const accepted = await api.submit(callOf(plan, ledger), plan.ttlMs);
  records.unsent -= 1;
  if (accepted.kind === 'refused') {
    records.refused.push({ plan, end: accepted.end });
    return;
  }
  const { taskId } = accepted;
  const record: TaskRecord = { plan, taskId, cancel: null, seen: null };
  records.tasks.push(record);
  const cancelling = cancelInTime(api, record, signal);
  record.seen = await api.follow(taskId);
  await cancelling;
}

/** Cancels, if the plan says so, while somebody else follows the task. */
async function cancelInTime(api: TaskApi, record: TaskRecord, signal: AbortSignal): Promise<void> {
  const { cancelAfterMs } = record.plan;
  if (cancelAfterMs === null) return;
  try {
    await pause(cancelAfterMs, signal);
    const answer = await api.cancel(record.taskId);
    record.cancel = { answer, atMs: Date.now() };
  } catch (error) {
    if (!(error instanceof GaveUp)) throw error;
  }
}
