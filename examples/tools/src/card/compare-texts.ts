import { defineItem, defineTool, ItemFailure, z } from '@longshore/plugin';

const Row = z.object({
  text: z.string().describe('Its beginning.'),
  words: z.int(),
  sentences: z.int(),
  longest: z.string().describe('Its longest word.'),
});

const compareText = defineItem({
  name: 'compare_text',
  input: z.string(),
  run(text): z.infer<typeof Row> {
    const words = text.match(/[\p{L}\p{N}'’-]+/gu);
    if (words === null) throw new ItemFailure('NO_WORDS', 'there is no word in it');
    return {
      text: text.slice(0, 80),
      words: words.length,
      sentences: text.split(/[.!?…]+(?:\s|$)/u).filter((part) => part.trim() !== '').length,
      longest: words.reduce((longest, word) => (word.length > longest.length ? word : longest)),
    };
  },
});

export const compareTexts = defineTool({
  name: 'compare_texts',
  description:
    'Compares up to 10,000 texts by words, sentences and their longest word. Hosts show the table, so do not repeat it.',
  input: z.object({ texts: z.array(z.string()).min(1).max(10_000).describe('What to compare.') }),
  output: z.object({ rows: z.array(Row), failed: z.int() }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  items: [compareText],
  ui: { file: new URL('../../src/card/table.html', import.meta.url) },
  async run({ texts }, ctx) {
    const batch = await ctx.map(texts, compareText);
    const rows: z.infer<typeof Row>[] = [];
    for await (const result of batch) if (result.ok) rows.push(result.value);
    return { rows, failed: batch.summary().failed };
  },
});
