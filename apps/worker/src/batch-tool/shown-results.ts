import { itemsUri } from '@longshore/core';
import { type Batch, z } from '@longshore/plugin';
import type { ResultMode } from './map-arguments.ts';

const Shown = z.object({
  index: z.int().describe('Of the item, from 0.'),
  ok: z.boolean(),
  value: z.unknown().optional().describe('What the tool returned.'),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  attempts: z.int(),
});

/** What the tools that run batches give back. */
export const RESULT_SHAPE = {
  total: z.int(),
  done: z.int(),
  failed: z.int(),
  skipped: z.int().describe('Not run, because the batch was stopped.'),
  stopped: z.boolean().describe('It ended early, after stop_after_failures.'),
  results: z.array(Shown).describe('In the order of the items, as result_mode says.'),
  not_shown: z.int().describe('Results that were left out, to keep the answer short.'),
  items_uri: z
    .string()
    .optional()
    .describe('Resource with all of these results, by pages, where some are not shown.'),
};

/** Characters of JSON that the results in an answer have: some pages, which a model can read. */
const SHOWN_LENGTH = 48 * 1024;

/** Characters of one value or message that are shown. */
const LONGEST_SHOWN = 4 * 1024;

interface ShownResults {
  readonly results: z.output<typeof Shown>[];
  readonly not_shown: number;
  readonly items_uri?: string;
}

/** As many results as an answer takes, and where the others are read. */
export async function shownResults(
  batch: Batch<unknown>,
  mode: ResultMode,
  taskId: string,
): Promise<ShownResults> {
  const results: z.output<typeof Shown>[] = [];
  const { done, failed } = batch.summary();
  const all = mode === 'all' ? done + failed : failed;
  if (mode === 'summary') return { results, not_shown: 0 };
  let length = 0;
  for await (const result of batch) {
    const one = result.ok ? { ...result, value: clipped(result.value) } : result;
    length += JSON.stringify(one).length;
    if (length > SHOWN_LENGTH) break;
    results.push(one);
  }
  const rest = all - results.length;
  if (rest === 0) return { results, not_shown: 0 };
  const uri = itemsUri(taskId, mode === 'all' ? {} : { status: 'failed' });
  return { results, not_shown: rest, items_uri: uri };
}

function clipped(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length <= LONGEST_SHOWN ? value : `${text.slice(0, LONGEST_SHOWN)}… (cut)`;
}
