import { definePlugin, type Plugin } from '@longshore/plugin';
import { textChunk } from './text-chunk.ts';
import { textClassify } from './text-classify.ts';
import { textCount } from './text-count.ts';
import { textSearch } from './text-search.ts';

/** Tools that count, chunk, search and classify text files in the directories the operator allows. */
export const plugin: Plugin = definePlugin({
  name: '@longshore/plugin-text',
  tools: (host) => [textCount(host), textChunk(host), textSearch(host), textClassify(host)],
});
