import type {
  EventBus,
  JobQueue,
  Logger,
  ScheduleStore,
  ScheduleWakes,
  TaskStore,
} from '@longshore/core';
import type { LegacyTaskDisplay, ServerIdentity } from '@longshore/protocol';
import type { ArgumentValidator } from '../catalogue/argument-validator.ts';
import type { Broadcasts } from '../catalogue/broadcasts.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { TaskContents } from '../contents/task-contents.ts';
import type { StreamLimit } from '../http/stream-limit.ts';
import type { InputDesk } from '../inputs/input-desk.ts';
import type { JobTools } from '../jobs/job-tools.ts';
import type { LimitsOf } from '../limits/limits-of.ts';
import type { RequestRates } from '../limits/request-rates.ts';
import type { SessionRegistry } from '../sessions/session-registry.ts';
import type { TaskSubmitter } from '../tasks/task-submitter.ts';
import type { WatchHub } from '../watch/watch-hub.ts';

/** Defaults and hints of the configuration that methods apply. */
export interface ApiSettings extends LegacyTaskDisplay {
  readonly defaultTtlMs: number;
  /** How long a call without a progress token is held before its client gets a job instead. */
  readonly inlineWaitMs: number;
  /** Longest silence of a stream whose client waits with a progress token. */
  readonly progressIntervalMs: number;
  /** A tool that runs only as a task is run for clients without tasks all the same. */
  readonly requiredToolsInline: boolean;
  /** Most that is sent at once of a result or a file. */
  readonly resultInlineBytes: number;
}

/** What the methods work with, put together once in `main.ts`. */
export interface ApiContext {
  readonly server: ServerIdentity;
  readonly settings: ApiSettings;
  readonly limitsOf: LimitsOf;
  readonly rates: RequestRates;
  /** Requests and streams that principals hold open at this process. */
  readonly held: StreamLimit;
  readonly tasks: TaskStore;
  readonly inputs: InputDesk;
  readonly contents: TaskContents;
  readonly jobs: JobQueue;
  readonly schedules: ScheduleStore;
  readonly wakes: Pick<ScheduleWakes, 'arm' | 'disarm'>;
  readonly bus: EventBus;
  readonly sessions: SessionRegistry;
  readonly catalogue: Catalogue;
  readonly broadcasts: Broadcasts;
  readonly jobTools: JobTools;
  readonly validator: ArgumentValidator;
  readonly submitter: TaskSubmitter;
  readonly watch: WatchHub;
  readonly log: Logger;
}
