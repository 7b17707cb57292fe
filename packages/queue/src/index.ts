export { inspectRedis, type RedisFacts } from './connections/inspect-redis.ts';
export { RedisRequestCounts } from './limits/redis-request-counts.ts';
export { AdmissionWindow, type AdmissionWindowOptions } from './maintenance/admission-window.ts';
export { FileSweeper, type FileSweeperOptions } from './maintenance/file-sweeper.ts';
export { Housekeeper, type HousekeeperOptions } from './maintenance/housekeeper.ts';
export { DEFAULT_WINDOW_JOBS, Relay, type RelayOptions } from './maintenance/relay.ts';
export { Sweeper, type SweeperOptions, type SweepReport } from './maintenance/sweeper.ts';
export { type Messaging, type MessagingOptions, openMessaging } from './open-messaging.ts';
export { DEFAULT_TIME_LIMITS, type TimeLimits } from './time-limits.ts';
