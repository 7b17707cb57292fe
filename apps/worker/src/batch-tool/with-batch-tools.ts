import { announcedTool } from '../plugins/announced-tool.ts';
import type { LoadedTool, Offers } from '../plugins/offers.ts';
import { batchTool } from './batch-tool.ts';
import { type RetryToolOptions, retryTool } from './retry-tool.ts';

/** What a worker offers beside its plugins. */
export function withBatchTools(offers: Offers, options: RetryToolOptions, version: string): Offers {
  const own = [batchTool(options), retryTool(options)].map(
    (tool): LoadedTool => ({
      tool,
      announced: announcedTool(tool, { name: '@longshore/worker', version }),
      // No thread ever looks for its module.
      entry: '',
    }),
  );
  return { ...offers, tools: [...offers.tools, ...own] };
}
