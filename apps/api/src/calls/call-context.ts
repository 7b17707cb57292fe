import type { EventBus, JobQueue, Logger, ScheduleStore, ScheduleWakes } from '@longshore/core';
import type { ApiMetrics } from '@longshore/metrics';
import type { ArgumentValidator } from '../catalogue/argument-validator.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { TaskContents } from '../contents/task-contents.ts';
import type { LimitsOf } from '../edge/limits/limits-of.ts';
import type { StreamLimit } from '../edge/stream-limit.ts';
import type { OwnedTasks } from '../tasks/owned-tasks.ts';
import type { WatchContext, WatchSettings } from '../watch/watch-context.ts';
import type { TaskSubmitter } from './task-submitter.ts';

/** Defaults and hints of the configuration that calls apply. */
export interface ApiSettings extends WatchSettings {
  readonly defaultTtlMs: number;
  /** How long a call without a progress token is held before its client gets a job instead. */
  readonly inlineWaitMs: number;
  /** A tool that runs only as a task is run for clients without tasks all the same. */
  readonly requiredToolsInline: boolean;
  /** Without a slash at its end; null: the API does not know where browsers reach it. */
  readonly dashboardUrl: string | null;
  /** Most that is sent at once of a result or a file. */
  readonly resultInlineBytes: number;
}

/** What calls and the tools that work on jobs work with. */
export interface CallContext extends WatchContext, OwnedTasks {
  readonly settings: ApiSettings;
  readonly bus: EventBus;
  readonly limitsOf: LimitsOf;
  /** Requests and streams that principals hold open at this process. */
  readonly held: StreamLimit;
  readonly contents: TaskContents;
  readonly jobs: JobQueue;
  readonly schedules: ScheduleStore;
  readonly wakes: Pick<ScheduleWakes, 'arm' | 'disarm'>;
  readonly catalogue: Catalogue;
  readonly validator: ArgumentValidator;
  readonly submitter: TaskSubmitter;
  readonly metrics: ApiMetrics;
  readonly log: Logger;
}
