export { type ResourceRead, readResource } from './read-resource.ts';
export type {
  RecordedFile,
  RecordedLog,
  RecordedProgress,
  Recording,
  RunOptions,
} from './recorded-context.ts';
export { recordedContext } from './recorded-context.ts';
export { type FinishedPromptRun, runPrompt } from './run-prompt.ts';
export {
  type FinishedToolRun,
  runTool,
  startTool,
  type ToolRun,
} from './run-tool.ts';
export type { RecordedQuestion, ScriptedAnswer, ScriptedAnswers } from './scripted-client.ts';
export { testHost } from './test-host.ts';
export { ToolSchemaError } from './tool-schema-error.ts';
