export {
  decodeEventId,
  type EndedStreamPlace,
  encodeEventId,
  type SessionStreamPlace,
  type StreamPlace,
  type TaskStreamPlace,
} from './legacy/event-id.ts';
export {
  type HostedTaskReport,
  parseHostedTask,
  parseHostedTaskCreated,
} from './legacy/hosted-task.ts';
export {
  initializeResult,
  negotiateVersion,
  type ServerIdentity,
  speaksTasks,
} from './legacy/initialize.ts';
export {
  type AnswerAddress,
  hostedTaskCancelRequest,
  hostedTaskResultRequest,
  hostedTaskStatusRequest,
  hostsTasks,
  inputRequest,
  inputWithdrawn,
  parseAnswerAddress,
} from './legacy/input-request.ts';
export {
  type CallToolParams,
  CancelledParams,
  type CompleteParams,
  checkRequestMeta,
  type GetPromptParams,
  type InitializeParams,
  isLegacyMethod,
  type LegacyMethod,
  type LegacyParamsOf,
  parseLegacyParams,
  type ReadResourceParams,
} from './legacy/params.ts';
export {
  type LegacyTaskDisplay,
  legacyStatus,
  legacyTask,
  taskStatusNotification,
  withRelatedTask,
} from './legacy/task-wire.ts';
export {
  capabilitiesFor,
  declaresTasks,
  lackingCapabilities,
  missingCapability,
  requireTasks,
  TASKS_CAPABILITY,
} from './modern/capabilities.ts';
export { discoverResult, type ServerFeatures } from './modern/discover.ts';
export type { Envelope } from './modern/envelope.ts';
export { encodedHeaderValue, type RequestHeaders } from './modern/header-values.ts';
export { acknowledged, listenResult, onSubscription, taskNotification } from './modern/listen.ts';
export {
  isModernMethod,
  type ModernMethod,
  type ModernParamsOf,
  nameField,
  parseModernParams,
} from './modern/methods.ts';
export { checkParamHeaders } from './modern/param-headers.ts';
export { type InputResponses, type ListenFilter, ModernParams } from './modern/params.ts';
export {
  type ModernInbound,
  type ModernRequest,
  parseModernRequest,
  type TaskNameHeader,
} from './modern/request.ts';
export {
  type CacheHint,
  cacheable,
  completeResult,
  createTaskResult,
  inputRequiredResult,
} from './modern/results.ts';
export {
  detailedTask,
  inputRequests,
  type ModernTaskStatus,
  modernStatus,
  modernTask,
} from './modern/task-wire.ts';
export {
  legacyTool,
  modernTool,
  type ToolUi,
  wirePrompt,
  wireResource,
} from './shared/catalogue-wire.ts';
export { canAnswer, parseClientAbilities } from './shared/client-abilities.ts';
export { completionResult, NO_COMPLETION } from './shared/completion-wire.ts';
export {
  decodeItemCursor,
  decodeNameCursor,
  decodePlaceCursor,
  encodeItemCursor,
  encodeNameCursor,
  encodePlaceCursor,
  type ItemCursor,
  type PlaceList,
} from './shared/cursor.ts';
export { classifyEra } from './shared/era.ts';
export {
  errorToHttp,
  errorToWire,
  outcomeErrorToWire,
  retryAfterSeconds,
  type WireError,
} from './shared/error-to-wire.ts';
export { idempotencyKey } from './shared/idempotency-key.ts';
export {
  type InputResult,
  type ParsedInputResult,
  parseInputResult,
} from './shared/input-results.ts';
export {
  type InboundMessage,
  isRequestId,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  notification,
  parseInbound,
  type Reply,
  readableId,
  type ServerMessage,
} from './shared/json-rpc.ts';
export {
  BEAT_META,
  IDEMPOTENCY_KEY_META,
  IMMEDIATE_RESPONSE_META,
  JOB_META,
  PAGE_META,
  RELATED_TASK_META,
  relatedTask,
  TASKS_EXTENSION,
} from './shared/meta-keys.ts';
export {
  type ChangedList,
  type LogReport,
  listChangedNotification,
  logNotification,
  type ProgressReport,
  progressNotification,
  resourceUpdatedNotification,
} from './shared/notifications.ts';
export { parseParams } from './shared/parse-params.ts';
export { traceOf } from './shared/trace-meta.ts';
export {
  type HandshakeVersion,
  isLegacyVersion,
  LATEST_LEGACY_VERSION,
  LEGACY_VERSIONS,
  MODERN_VERSION,
  SSE_VERSION,
  SUPPORTED_VERSIONS,
} from './shared/versions.ts';
