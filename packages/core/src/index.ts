export type { Access } from './access.ts';
export type { ApiKey, ApiKeyStore, NewApiKey, ValidApiKey } from './api-key.ts';
export {
  AUDIT_ACTIONS,
  AUDIT_TARGET_KINDS,
  type AuditAction,
  type AuditEntry,
  type AuditSearch,
  type AuditStore,
  type AuditTarget,
  type NewAuditEntry,
} from './audit.ts';
export type {
  BatchProgress,
  BatchState,
  BatchStore,
  ChunkContent,
  ChunkOutcomes,
  ChunkProgress,
  ChunkState,
  ItemError,
  ItemOutcome,
  NewChild,
  NewChunk,
  NewChunks,
} from './batch-store.ts';
export type {
  AuthBindingId,
  BatchId,
  Brand,
  InputRequestId,
  PrincipalId,
  ScheduleId,
  SessionId,
  TaskId,
  WorkerId,
} from './brand.ts';
export type {
  BulkAction,
  BulkFailure,
  BulkStep,
  BulkStore,
  BulkVerb,
  NewBulkAction,
} from './bulk-store.ts';
export { type BusEvent, BusMessage, type BusResync } from './bus-message.ts';
export type { CardStore } from './card-store.ts';
export type {
  AnnouncedPrompt,
  AnnouncedPromptArgument,
  AnnouncedResource,
  CatalogueSnapshot,
  PluginCard,
  RequestPolicy,
} from './catalogue-entry.ts';
export type {
  CatalogueStore,
  OfferedVersions,
  WorkerAnnouncement,
  WorkerPresence,
} from './catalogue-store.ts';
export { type ClientAbilities, DeclaredCapabilities, NO_ABILITIES } from './client-abilities.ts';
export { type Clock, systemClock } from './clock.ts';
export {
  diagnosisOf,
  ERROR_CATALOGUE,
  type ErrorCode,
  LongshoreError,
  type LongshoreErrorOptions,
  serverFailure,
} from './errors.ts';
export type { EventBus, Subscription } from './event-bus.ts';
export type { FileFacts, FileRecords, OpenedFile, StoredResult, TaskFile } from './file-records.ts';
export type { ByteRange, FileStore } from './file-store.ts';
export {
  BATCH_TOOL,
  CARD_TOOL_NAMES,
  type CardToolName,
  JOB_TOOL_NAMES,
  type JobToolName,
  RESERVED_TOOL_NAMES,
  RETRY_TOOL,
  SCHEDULE_TOOL_NAMES,
  type ScheduleToolName,
} from './generated-tools.ts';
export { GroupedCalls, type GroupedCallsOptions } from './grouped-calls.ts';
export type { IdentityStore, SecretStore } from './identity-store.ts';
export type {
  AnswerOutcome,
  AskedInput,
  InputAnswer,
  InputMethod,
  InputQuestion,
  OwnedInput,
  PendingInput,
  RemoteTask,
} from './input-request.ts';
export type { HeldQuestions, InputStore, QuestionLease } from './input-store.ts';
export {
  type BatchTask,
  type CountedBatch,
  type CountedBatches,
  type EndedBatch,
  ITEM_STATUSES,
  type ItemPlace,
  type ItemRecords,
  type ItemSlice,
  type ItemStatus,
  type OwnedBatch,
  type OwnedBatches,
  type ReadItem,
  type SliceLimits,
  type StoredItem,
  type StoredItems,
} from './item-records.ts';
export type { JobConsumer, JobConsumerOptions, JobDisposition, JobQueue } from './job-queue.ts';
export type { JsonObject, JsonValue } from './json.ts';
export { type LimitedSignal, limitedSignal } from './limited-signal.ts';
export { LIMIT_RANGES, type PrincipalLimits } from './limits.ts';
export { isAtLeast, LOG_LEVELS, type LogLevel } from './log-level.ts';
export { type Logger, silentLogger } from './logger.ts';
export {
  type BatchMap,
  type EndedStats,
  type GaugeBucket,
  type Histogram,
  type ListedPrincipal,
  type ListedSchedule,
  type ListedTask,
  type NamedPrincipal,
  type OperatorStore,
  type QueueGauge,
  type SeenWorker,
  type Stats,
  type StatsStore,
  type StatsWindow,
  TASK_PHASES,
  type TaskChanges,
  type TaskFacts,
  type TaskPhase,
  type TaskSearch,
  type TaskSearchPage,
  type TaskSearchPlace,
} from './operator-store.ts';
export {
  DEADLINE_ERROR,
  type Outcome,
  type OutcomeError,
  type OutcomeKind,
  outcomeKind,
  toolErrorOutcome,
} from './outcome.ts';
export type { Pause, Paused, PauseStore } from './pause-store.ts';
export { PeriodicLoop, type PeriodicLoopOptions, PeriodicService } from './periodic-loop.ts';
export type { Identity, PrincipalKind, Session } from './principal.ts';
export type { RequestCounts, RequestWindow } from './request-counts.ts';
export { retryDelayMs } from './retry-schedule.ts';
export type {
  MissedPolicy,
  NewSchedule,
  OverlapPolicy,
  Schedule,
  ScheduleListPosition,
  ScheduleState,
} from './schedule.ts';
export type {
  AddedSchedule,
  CredentialState,
  ScheduleFiring,
  SchedulePlace,
  ScheduleStore,
  WakingSchedule,
} from './schedule-store.ts';
export type { ScheduleWake, ScheduleWakes, WakeAnswer } from './schedule-wakes.ts';
export { ALL_SCOPES, admits, isScope } from './scopes.ts';
export type { Service } from './service.ts';
export { ServiceLifecycle } from './service-lifecycle.ts';
export type { NewSession, SessionStore } from './session-store.ts';
export {
  CHUNK_METHOD,
  type Era,
  type Idempotency,
  isTerminal,
  type NewTask,
  type Progress,
  type ProgressToken,
  type RequestId,
  type RequestMethod,
  TASK_STATUSES,
  type Task,
  type TaskCall,
  type TaskEvent,
  type TaskHistory,
  type TaskState,
  type TaskStatus,
  type TaskWithOutcome,
  type WorkMethod,
} from './task.ts';
export type {
  Acceptance,
  Admission,
  AdmissionPlan,
  AdmittedJob,
  AttemptStore,
  CancelOutcome,
  Claim,
  ClaimOutcome,
  EndedTask,
  EventCursor,
  FailedAttempt,
  FailedTask,
  Fence,
  FinishedAttempt,
  HeartbeatAnswer,
  HeartbeatReport,
  LoggedMessage,
  LogMessage,
  MaintenanceStore,
  NewcomerTask,
  QueueLoad,
  TaskListPosition,
  TaskStore,
} from './task-store.ts';
export { itemsUri, TASK_URI_PREFIX } from './task-uris.ts';
export type { AnnouncedTool, Backoff, TaskSupport, ToolPolicy, ToolRate } from './tool.ts';
export type { ToolStarts } from './tool-starts.ts';
export {
  CATALOGUE_TOPIC,
  CREDENTIALS_TOPIC,
  childrenTopic,
  HUBS_TOPIC,
  PAUSES_TOPIC,
  probeTopic,
  RESOURCES_TOPIC,
  SESSIONS_TOPIC,
  sessionTopic,
  taskTopic,
  workerTopic,
} from './topics.ts';
export {
  isPluginCardUri,
  JOB_CARD_URI,
  JOB_CARD_VERSION,
  pluginCardUri,
  UI_EXTENSION,
  UI_MIME_TYPE,
} from './ui-extension.ts';
export {
  DELIVERY_STATES,
  type DeliveryAnswer,
  type DeliveryEnd,
  type DeliveryPlace,
  type DueDelivery,
  type NewWebhook,
  type UnderWay,
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookStore,
} from './webhook-store.ts';
export { withDeadline } from './with-deadline.ts';
