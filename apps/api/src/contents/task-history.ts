import type {
  CatalogueStore,
  JsonObject,
  PrincipalId,
  TaskHistory,
  TaskId,
  TaskStore,
} from '@longshore/core';
import { jobFacts } from '../tasks/job-text.ts';

/** What has happened to a task beyond that is of the past: its logs make most of it. */
const MOST_EVENTS = 500;

/** Workers report four times per lease. One that has missed a report by half of that has something the matter. */
const SILENT_SHARE = 5 / 8;

/** All that is kept of tasks, for their owners. */
export class TaskHistories {
  readonly #tasks: Pick<TaskStore, 'history'>;
  readonly #catalogue: Pick<CatalogueStore, 'presence'>;
  readonly #leaseMs: number;

  /** @param options.leaseMs LEASE_MS: a worker that is silent for so long is dead */
  constructor(options: {
    tasks: Pick<TaskStore, 'history'>;
    catalogue: Pick<CatalogueStore, 'presence'>;
    leaseMs: number;
  }) {
    this.#tasks = options.tasks;
    this.#catalogue = options.catalogue;
    this.#leaseMs = options.leaseMs;
  }

  /** As a client reads it; null when it is unknown, expired, somebody else's, or has no handle. */
  async find(taskId: TaskId, owner: PrincipalId): Promise<JsonObject | null> {
    const history = await this.#tasks.history(taskId, owner, MOST_EVENTS);
    if (history === null) return null;
    const { task, attempt, maxAttempts, lost, isLost, lostBelow, events } = history;
    const waitsFor = await this.#waitsFor(history);
    return {
      task: jobFacts(task),
      arguments: history.arguments,
      attempt,
      max_attempts: maxAttempts,
      lost_workers: lost + Number(isLost) + lostBelow,
      ...(waitsFor === null ? {} : { waits_for: waitsFor }),
      events: events.map((event) => ({
        kind: event.kind,
        at: event.at.toISOString(),
        ...(event.attempt === null ? {} : { attempt: event.attempt }),
        ...(event.data === null ? {} : { data: event.data }),
      })),
    };
  }

  /** @returns null when it does not wait, or what it waits for is not ours to know */
  async #waitsFor({ task, isLost, runAfter, leaseLeftMs }: TaskHistory): Promise<string | null> {
    if (task.state === 'input_required') return 'an answer to its question';
    if (task.state !== 'working') return null;
    if (leaseLeftMs !== null && leaseLeftMs > 0 && leaseLeftMs < this.#leaseMs * SILENT_SHARE) {
      return 'a worker that is silent: others take over soon unless it comes back';
    }
    if (task.isHeld) return null;
    const missing = await missingWorker(this.#catalogue, this.#leaseMs, task.toolName);
    if (missing !== null) return missing;
    if (runAfter !== null && runAfter.getTime() > Date.now()) {
      return `its next attempt, at ${runAfter.toISOString()}`;
    }
    return isLost ? 'another worker: the one that had it was lost' : 'a free worker';
  }
}

/** @returns what a task waits for whose tool nobody offers; null: somebody does */
export async function missingWorker(
  catalogue: Pick<CatalogueStore, 'presence'>,
  leaseMs: number,
  toolName: string,
): Promise<string | null> {
  const { workers, offering } = await catalogue.presence(leaseMs, toolName);
  if (workers === 0) return 'a worker: none is running';
  return offering === 0 ? `a worker that offers ${toolName}: none that runs does` : null;
}
