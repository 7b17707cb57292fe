export { z } from 'zod';
export type { BatchAbilities } from './batch/batch-abilities.ts';
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
export {
  defineItem,
  type Item,
  type ItemDefinition,
  isItem,
  type TypedItem,
} from './batch/define-item.ts';
export { itemContext } from './batch/item-context.ts';
export { type CheckedMapOptions, checkMapOptions } from './batch/map-options.ts';
export {
  type ItemEnd,
  ItemFailure,
  type ItemTry,
  itemError,
  type RunItemOptions,
  runItem,
} from './batch/run-item.ts';
export type { Complete, Completion, CompletionContext } from './completion.ts';
export type {
  ContentAnnotations,
  ContentBlock,
  ContentResult,
  EmbeddedResource,
} from './content.ts';
export { ContentBlockSchema } from './content-schema.ts';
export { type EachLimitedOptions, eachLimited } from './each-limited.ts';
export { Journal, type JournalOptions } from './journal.ts';
export type { Json, JsonRecord } from './json.ts';
export { type LoadedPlugin, loadPlugin, resourceAddress } from './load-plugin.ts';
export {
  defineMiddleware,
  isMiddleware,
  type Middleware,
  type ModuleMiddleware,
  type Next,
  type ToolCall,
  withMiddleware,
} from './middleware.ts';
export {
  definePlugin,
  type FileLimits,
  isPlugin,
  type NetworkGrant,
  type Plugin,
  type PluginDefinition,
  type PluginHost,
} from './plugin.ts';
export { PluginDefinitionError } from './plugin-definition-error.ts';
export {
  definePrompt,
  isPrompt,
  type Prompt,
  type PromptDefinition,
  type PromptMessage,
  type PromptResult,
  type TypedPrompt,
} from './prompt.ts';
export type { PromptArgument } from './prompt-arguments.ts';
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
export { createQuestions, type QuestionHost } from './questions/create-questions.ts';
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
  isResource,
  type Resource,
  type ResourceRequest,
  type TemplateResourceDefinition,
} from './resource.ts';
export type { ResourcePart, ResourceReturn } from './resource-contents.ts';
export { ResourceNotFound } from './resource-not-found.ts';
export {
  createFiles,
  type FileHost,
  type FileOptions,
  type TaskFiles,
} from './task-files/create-files.ts';
export { type FileLink, fileUri } from './task-files/file-link.ts';
export { type FileContent, type FileSink, ToolFile } from './task-files/tool-file.ts';
export type { JsonSchemaObject } from './to-json-schema.ts';
export { defineTool, isTool, type Tool, type TypedTool } from './tool.ts';
export { createClock, type TimeSource, type ToolClock } from './tool-clock.ts';
export type { Checkpoint, ToolContext, ToolLog, ToolLogLevel } from './tool-context.ts';
export type { ToolCost } from './tool-cost.ts';
export type {
  ContentTool,
  MaybePromise,
  ReadonlyDeep,
  RequiredAbility,
  StructuredTool,
  TaskPolicy,
  TaskSupport,
  ToolAnnotations,
  ToolDefinition,
  ToolReturn,
} from './tool-definition.ts';
export { ProtocolError, ToolError } from './tool-error.ts';
export type { ToolRate } from './tool-rate.ts';
export type { TemplateVariables } from './uri-template.ts';
