import {
  type AttemptStore,
  type EventBus,
  type HeartbeatReport,
  type Logger,
  PeriodicService,
  taskTopic,
  type WorkerId,
} from '@longshore/core';
import type { Attempt } from '../attempts/attempt.ts';
import type { RunningAttempts } from '../attempts/running-attempts.ts';
import { within } from '../run/store-call.ts';

export interface HeartbeatOptions {
  readonly workerId: WorkerId;
  readonly leaseMs: number;
  readonly attempts: AttemptStore;
  readonly bus: EventBus;
  readonly running: RunningAttempts;
  readonly log: Logger;
}

/** Beats per lease: three may fail in a row before a task is lost. */
const BEATS_PER_LEASE = 4;

/** A status message reaches the row within this; more in the same time share one statement. */
const STATUS_SPACING_MS = 500;

/**
 * Keeps the leases of all running attempts with one statement per beat, which also carries their
 * progress and status messages to their rows, and stops those the database no longer counts as ours:
 * cancelled, expired, ended or claimed by another worker. So no cancellation depends on a message.
 *
 * When beats fail for longer than the lease, other workers may claim the tasks: then all attempts
 * concerned are stopped, for what they would still write is refused anyway.
 */
export class Heartbeat extends PeriodicService {
  readonly #options: HeartbeatOptions;
  readonly #timeoutMs: number;
  #failing = false;

  constructor(options: HeartbeatOptions) {
    super({
      name: 'heartbeat',
      pace: 'beat',
      intervalMs: options.leaseMs / BEATS_PER_LEASE,
      minGapMs: STATUS_SPACING_MS,
      log: options.log,
    });
    this.#options = options;
    this.#timeoutMs = options.leaseMs / 2;
  }

  /** Never rejects. */
  async runOnce(): Promise<void> {
    const { attempts, workerId, leaseMs, running, log } = this.#options;
    const beating = running.list();
    if (beating.length === 0) return;
    const reports = beating.map(reportOf);
    const askedAt = performance.now();
    try {
      const { held, cancelled } = await within(
        this.#timeoutMs,
        attempts.heartbeat(workerId, leaseMs, reports),
        'the heartbeat',
      );
      if (this.#failing) log.info({ attempts: beating.length }, 'heartbeat works again');
      this.#failing = false;
      for (const [index, attempt] of beating.entries()) {
        const report = reports[index];
        if (report === undefined) continue;
        if (held.has(report.taskId)) this.#renewed(attempt, report, askedAt);
        else if (cancelled.has(report.taskId)) attempt.abort('cancelled');
        else if (running.has(attempt)) attempt.abort('lost');
      }
    } catch (err) {
      if (!this.#failing) log.warn({ attempts: beating.length, err }, 'heartbeat failed');
      this.#failing = true;
    }
    this.#stopExpired();
  }

  #renewed(attempt: Attempt, report: HeartbeatReport, askedAt: number): void {
    attempt.renewed(askedAt);
    attempt.reporter.saved(report);
    if (report.statusMessage === null) return;
    const { taskId, sessionId } = attempt.claim;
    const topic = taskTopic({ id: taskId, sessionId });
    void this.#options.bus.publish(topic, { kind: 'changed', taskId });
  }

  #stopExpired(): void {
    for (const attempt of this.#options.running.list()) {
      if (attempt.leaseAgeMs() > this.#options.leaseMs) attempt.abort('lost');
    }
  }
}

function reportOf({ claim: { taskId, attempt }, reporter }: Attempt): HeartbeatReport {
  return { taskId, attempt, ...reporter.unsaved() };
}
