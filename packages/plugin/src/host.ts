/*
 * What a worker needs of plugins, and no author does: it loads them, builds the contexts their tools run in, and checks what
 * they return. It changes with the worker, not with the versions of the author's API.
 */
export type { BatchAbilities } from './batch/batch-abilities.ts';
export { isItem } from './batch/define-item.ts';
export { type CheckedMapOptions, checkMapOptions } from './batch/map-options.ts';
export {
  type ItemEnd,
  type ItemTry,
  itemContext,
  itemError,
  type RunItemOptions,
  runItem,
} from './batch/run-item.ts';
export { fileExcess } from './file-limits.ts';
export { type LoadedPlugin, loadPlugin, resourceAddress } from './load-plugin.ts';
export { isMiddleware } from './middleware.ts';
export { isPlugin } from './plugin.ts';
export { isPrompt } from './prompt.ts';
export { createQuestions, type QuestionHost } from './questions/create-questions.ts';
export { isResource } from './resource.ts';
export { createFiles, type FileHost } from './task-files/create-files.ts';
export { fileUri } from './task-files/file-link.ts';
export type { FileSink } from './task-files/tool-file.ts';
export { isTool } from './tool.ts';
export { createClock } from './tool-clock.ts';
export { cardProblem, MAX_CARD_BYTES } from './tool-ui.ts';
export { ContentBlockSchema } from './values/content-schema.ts';
