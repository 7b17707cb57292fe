export { z } from 'zod';
export type {
  Batch,
  BatchSummary,
  CallOptions,
  DoneItem,
  FailedItem,
  ItemContext,
  ItemFunction,
  ItemResult,
  Items,
  MapOptions,
  MapRun,
  ResultMode,
  ToolValue,
} from './batch/batch-types.ts';
export { defineItem, type Item, type ItemDefinition, type TypedItem } from './batch/define-item.ts';
export { ItemFailure } from './batch/run-item.ts';
export { PluginDefinitionError } from './checks/definition-checks.ts';
export type { Complete, Completion, CompletionContext } from './completion.ts';
export { type EachLimitedOptions, eachLimited } from './each-limited.ts';
export type { FileLimits } from './file-limits.ts';
export { Journal, type JournalOptions } from './journal.ts';
export {
  defineMiddleware,
  type Middleware,
  type ModuleMiddleware,
  type Next,
  type ToolCall,
  withMiddleware,
} from './middleware.ts';
export {
  definePlugin,
  type NetworkGrant,
  type Plugin,
  type PluginDefinition,
  type PluginHost,
} from './plugin.ts';
export type { PromptArgument } from './prompt.ts';
export {
  definePrompt,
  type Prompt,
  type PromptDefinition,
  type PromptMessage,
  type PromptResult,
  type TypedPrompt,
} from './prompt.ts';
export type {
  ClientAbilities,
  ClientQuestions,
  ElicitResult,
  Question,
  QuestionAnswer,
  QuestionMethod,
  QuestionOptions,
  Root,
  UrlElicitResult,
} from './questions/client-questions.ts';
export {
  type FormContent,
  type FormField,
  type FormSchema,
  FormSchemaError,
} from './questions/form-schema.ts';
export { InputError, type InputErrorReason } from './questions/input-error.ts';
export type {
  SamplingContent,
  SamplingMessage,
  SamplingRequest,
  SamplingResult,
  SamplingTool,
} from './questions/sampling.ts';
export type { RequestOptions, RequestPolicy } from './request-policy.ts';
export {
  defineResource,
  type FixedResourceDefinition,
  type Resource,
  ResourceNotFound,
  type ResourceRequest,
  type TemplateResourceDefinition,
} from './resource.ts';
export type { ResourcePart, ResourceReturn } from './resource-contents.ts';
export type { FileOptions, TaskFiles } from './task-files/create-files.ts';
export type { FileLink } from './task-files/file-link.ts';
export { type FileContent, ToolFile } from './task-files/tool-file.ts';
export type { JsonSchemaObject } from './to-json-schema.ts';
export type { RequiredAbility, TaskSupport, Tool, ToolAnnotations, TypedTool } from './tool.ts';
export type { TimeSource, ToolClock } from './tool-clock.ts';
export type { Checkpoint, ToolContext, ToolTrace } from './tool-context.ts';
export type { ToolCost } from './tool-cost.ts';
export {
  type ContentTool,
  defineTool,
  type ReadonlyDeep,
  type StructuredTool,
  type TaskPolicy,
  type ToolDefinition,
  type ToolReturn,
} from './tool-definition.ts';
export { ProtocolError, ToolError } from './tool-error.ts';
export type { ToolRate } from './tool-rate.ts';
export type { CardCsp, ToolUi } from './tool-ui.ts';
export type { TemplateVariables } from './uri-template.ts';
export type {
  ContentAnnotations,
  ContentBlock,
  ContentResult,
  EmbeddedResource,
} from './values/content.ts';
export type { Json, JsonRecord } from './values/json.ts';
export type { MaybePromise } from './values/maybe-promise.ts';
export type { ToolLog, ToolLogLevel } from './values/tool-log.ts';
