import { announcedTool } from '../plugins/announced-tool.ts';
import type { Offers } from '../plugins/offers.ts';
import { type BatchToolOptions, batchTool } from './batch-tool.ts';

/** What a worker offers beside its plugins. */
export function withBatchTool(offers: Offers, options: BatchToolOptions, version: string): Offers {
  const tool = batchTool(options);
  const announced = announcedTool(tool, { name: '@longshore/worker', version });
  // No thread ever looks for its module.
  return { ...offers, tools: [...offers.tools, { tool, announced, entry: '' }] };
}
