import { createHash } from 'node:crypto';
import { defineItem, defineTool, ItemFailure, z } from '@longshore/plugin';

const hashText = defineItem({
  name: 'hash_text',
  input: z.string(),
  run(text) {
    if (text === '') throw new ItemFailure('EMPTY', 'there is nothing to hash');
    return createHash('sha256').update(text).digest('hex');
  },
});

export const hashTexts = defineTool({
  name: 'hash_texts',
  description:
    'Computes the SHA-256 of each of up to 100,000 texts. Empty ones fail, the others do not.',
  input: z.object({ texts: z.array(z.string()).max(100_000) }),
  output: z.object({
    hashes: z.array(z.string().nullable()).describe('In the order of the texts; null: failed.'),
    done: z.int(),
    failed: z.int(),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  items: [hashText],
  async run({ texts }, ctx) {
    const batch = await ctx.map(texts, hashText);
    const hashes: (string | null)[] = [];
    for await (const result of batch) hashes.push(result.ok ? result.value : null);
    const { done, failed } = batch.summary();
    return { hashes, done, failed };
  },
});
