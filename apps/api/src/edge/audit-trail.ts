import {
  type AuditStore,
  type AuditTarget,
  type AuthBindingId,
  type Logger,
  type NewAuditEntry,
  PeriodicService,
  type PrincipalId,
} from '@longshore/core';
import type { ApiMetrics } from '@longshore/metrics';
import { LRUCache } from 'lru-cache';

/** How long an entry is in memory only, at most. */
const WRITE_GAP_MS = 200;
/** For the counts of what was alike, and for old entries: nothing else needs a run of its own. */
const INTERVAL_MS = 10_000;
/** Entries that wait to be written; more are dropped, and the log says how many. */
const MOST_WAITING = 10_000;
const PAGE = 500;
/** What is alike within this time is one entry, with a count. */
const ALIKE_MS = 60_000;
const MOST_ALIKE = 10_000;
/** Old entries are looked for so often. */
const CLEANING_MS = 5 * 60_000;

interface Alike {
  readonly entry: NewAuditEntry;
  count: number;
}

/** What anybody can do again and again. */
export type CountedAction = Extract<
  NewAuditEntry['action'],
  'refused' | 'lookups_failed' | 'task_read'
>;

/** Who makes a request, from where. */
export interface AuditOrigin {
  readonly principalId: PrincipalId | null;
  readonly authBindingId: AuthBindingId | null;
  readonly address: string | null;
  readonly requestId: string;
}

/**
 * Puts on record who did what. Written behind the requests, many in one statement: a crash of the process loses what it did in the
 * last fifth of a second. What anybody can cause as often as they like is counted, and written once a minute.
 */
export class AuditTrail extends PeriodicService {
  readonly #store: AuditStore;
  readonly #metrics: ApiMetrics;
  readonly #log: Logger;
  readonly #retentionMs: number;
  readonly #waiting: NewAuditEntry[] = [];
  readonly #alike: LRUCache<string, Alike>;
  #dropped = 0;
  #cleanedAt = Number.NEGATIVE_INFINITY;

  /** @param options.retentionMs how long entries are kept */
  constructor(options: {
    store: AuditStore;
    retentionMs: number;
    metrics: ApiMetrics;
    log: Logger;
  }) {
    super({
      name: 'audit',
      intervalMs: INTERVAL_MS,
      minGapMs: WRITE_GAP_MS,
      maxBackoffMs: 5_000,
      log: options.log,
    });
    this.#store = options.store;
    this.#metrics = options.metrics;
    this.#log = options.log;
    this.#retentionMs = options.retentionMs;
    this.#alike = new LRUCache({
      max: MOST_ALIKE,
      ttl: ALIKE_MS,
      ttlAutopurge: false,
      dispose: ({ entry, count }) => {
        if (count > 1) this.#add({ ...entry, details: { ...entry.details, more: count - 1 } });
      },
    });
  }

  note(
    action: NewAuditEntry['action'],
    origin: AuditOrigin,
    target: AuditTarget | null,
    details: NewAuditEntry['details'] = null,
  ): void {
    this.#metrics.audited(action);
    this.#add({ ...origin, action, target, details });
  }

  /** Notes the first of its kind within a minute, and how many more there were once the minute is over. */
  count(
    action: CountedAction,
    origin: AuditOrigin,
    target: AuditTarget | null,
    details: NewAuditEntry['details'] = null,
  ): void {
    this.#metrics.audited(action);
    const entry = { ...origin, action, target, details };
    const who = origin.principalId ?? origin.address ?? '';
    const kind = `${action} ${who} ${target?.id ?? ''} ${String(details?.['code'] ?? '')}`;
    const known = this.#alike.get(kind);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    this.#alike.set(kind, { entry, count: 1 });
    this.#add(entry);
  }

  /** Writes what waits. */
  async runOnce(): Promise<void> {
    this.#alike.purgeStale();
    while (this.#waiting.length > 0) {
      const page = this.#waiting.slice(0, PAGE);
      await this.#store.append(page);
      this.#waiting.splice(0, page.length);
    }
    if (performance.now() - this.#cleanedAt < CLEANING_MS) return;
    const deleted = await this.#store.deleteOld(this.#retentionMs, PAGE);
    if (deleted < PAGE) this.#cleanedAt = performance.now();
    else this.poke();
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.#alike.clear();
    await this.runOnce().catch((err: unknown) => {
      this.#log.warn({ err, entries: this.#waiting.length }, 'audit entries were lost');
    });
  }

  #add(entry: NewAuditEntry): void {
    if (this.#waiting.length < MOST_WAITING) {
      this.#waiting.push(entry);
      this.poke();
      return;
    }
    this.#dropped += 1;
    if (this.#dropped % 1_000 === 1) {
      this.#log.error({ dropped: this.#dropped }, 'audit entries are dropped: none can be written');
    }
  }
}
