/*
 * Jobs and messages: how a task finds a worker, and how whoever waits hears that something changed.
 *
 * Authority. The row in Postgres, and nothing here. A job is the id of a task, or of many, and says that they may want to run; a
 * message says that a row changed. The states of a row are in packages/core/task-states.md: `admit`, `unadmit` and
 * `readmit` are the edges that belong to this package.
 *
 * Who brings a job. Accepting a task adds it while fewer jobs wait than the workers have seats (AdmissionWindow);
 * else the relay does, by turns of the principals (Relay). The job of one task has
 * its id, so adding it twice is adding it once; what is added together shares jobs (docs/decisions/0041-bundles-of-tasks.md). A job
 * leaves its queue when its consumer says `done` or `leave` (BullJobConsumer): when its tasks are claimed, not when they end.
 *
 * How long what is known here is true. Counts of what waits are 50 ms old and may be wrong by what others added; they
 * decide when a job comes, never whether. A stamp without a job is believed for 10 s, then the sweeper adds the
 * job again.
 *
 * What fails. An add that fails, or has no answer in 5 s: `unadmit`, and the relay tries when the queue answers. A
 * process that dies between stamp and add, Redis that loses its jobs: the sweeper. A worker that dies: BullMQ
 * gives the jobs in its hands to another one once their locks are over, and the sweeper finds what it had claimed once
 * the leases are; the claim decides whether it runs. Messages
 * that could not be sent, or came while a listener was cut off, are not repeated: the listener gets `resync`.
 *
 * What one may rely on. Each open task is offered to a worker again and again until it has ended: at least once, in no
 * order. Not on a job being there, being alone, or being early; not on any message. Nothing waits
 * for a server longer than its time limit (TimeLimits), and every queue in memory has a bound.
 */
export { BusProbe } from './bus/bus-probe.ts';
export { inspectRedis, type RedisFacts } from './connections/inspect-redis.ts';
export { DEFAULT_TIME_LIMITS, type TimeLimits } from './connections/time-limits.ts';
export { RedisRequestCounts } from './limits/redis-request-counts.ts';
export { RedisToolStarts } from './limits/redis-tool-starts.ts';
export { AdmissionWindow, type AdmissionWindowOptions } from './maintenance/admission-window.ts';
export { FileSweeper, type FileSweeperOptions } from './maintenance/file-sweeper.ts';
export { Housekeeper, type HousekeeperOptions } from './maintenance/housekeeper.ts';
export { Pauses, type PausesOptions } from './maintenance/pauses.ts';
export { DEFAULT_WINDOW_JOBS, Relay, type RelayOptions } from './maintenance/relay.ts';
export { ScheduleSweeper, type ScheduleSweeperOptions } from './maintenance/schedule-sweeper.ts';
export { StatsKeeper, type StatsKeeperOptions } from './maintenance/stats-keeper.ts';
export { Sweeper, type SweeperOptions, type SweepReport } from './maintenance/sweeper.ts';
export { type Messaging, type MessagingOptions, openMessaging } from './open-messaging.ts';
