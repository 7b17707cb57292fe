import { definePlugin, type Plugin } from '@longshore/plugin';
import { CatalogueChanges } from './catalogue-changes.ts';
import { contentTools } from './content-tools.ts';
import { legacyQuestionTools } from './legacy-question-tools.ts';
import { prompts } from './prompts.ts';
import { reportingTools } from './reporting-tools.ts';
import { requestStateTools } from './request-state-tools.ts';
import { resources } from './resources.ts';
import { roundTripTools } from './round-trip-tools.ts';
import { schemaTools } from './schema-tools.ts';
import { taskTools } from './task-tools.ts';

const changes = new CatalogueChanges();

/**
 * What the official MCP conformance suite (0.2.0-alpha.12) expects of a server: the names, keys and texts
 * are the suite's. Everything is written with the public plugin API and runs in a worker like any other
 * plugin. Nobody needs it beside `npm run conformance`.
 */
export const plugin: Plugin = definePlugin({
  name: '@longshore/plugin-conformance',
  tools: (host) => [
    ...contentTools,
    ...reportingTools,
    ...schemaTools,
    ...legacyQuestionTools,
    ...roundTripTools,
    ...requestStateTools,
    ...taskTools,
    ...changes.tools(host),
  ],
  prompts: () => [...prompts, ...changes.prompts()],
  resources: () => resources,
});
