export { ApiKey, Login, MadeApiKey, Me, NewApiKey } from './access.ts';
export { AuditEntry, AuditFilter } from './audit.ts';
export { BulkAction, EVERYTHING, NewBulkAction, StartedBulkAction } from './bulk.ts';
export { OperatorApiError, type OperatorClient, operatorClient, pathOf } from './client.ts';
export { OperatorEvent } from './events.ts';
export {
  Attention,
  Overview,
  Principal,
  Queue,
  Range,
  Schedule,
  Stats,
  StatsQuery,
  Tool,
  Worker,
  WorkerDetail,
} from './fleet.ts';
export { HISTOGRAM_EDGES_MS, mergeHistograms, percentileOf } from './histogram.ts';
export {
  type AnswerOf,
  type CallOf,
  OPERATIONS,
  type Operation,
  type OperationName,
  type Operations,
  Problem,
} from './operations.ts';
export {
  BatchMap,
  ItemPage,
  Phase,
  Question,
  TaskCount,
  TaskDetail,
  TaskFilter,
  TaskOutcome,
  TaskPage,
  TaskQuery,
  TaskSummary,
} from './tasks.ts';
export { NewWebhook, Webhook, WebhookDelivery, WebhookEvent } from './webhooks.ts';
