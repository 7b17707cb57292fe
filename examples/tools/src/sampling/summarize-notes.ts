import { defineTool, z } from '@longshore/plugin';

export const summarizeNotes = defineTool({
  name: 'summarize_notes',
  description: 'Has your own model summarize each of up to 50 notes in one sentence.',
  input: z.object({ notes: z.array(z.string().min(1)).min(1).max(50) }),
  output: z.object({ summaries: z.array(z.string()) }),
  requires: ['sampling'],
  task: { cost: { unit: 'tokens', note: 'of the model of the client, about 300 per note' } },
  async run({ notes }, ctx) {
    const summarize = async (note: string, { index }: { index: number }): Promise<string> => {
      const { content } = await ctx.sample(
        {
          messages: [{ role: 'user', content: { type: 'text', text: note } }],
          systemPrompt: 'Summarize the note in one sentence.',
          maxTokens: 100,
        },
        { key: `note-${index}` },
      );
      const [block] = Array.isArray(content) ? content : [content];
      return block?.type === 'text' ? block.text : '';
    };
    const batch = await ctx.map(notes, summarize, { concurrency: 4 });
    const summaries: string[] = [];
    for await (const result of batch) {
      if (!result.ok) throw new Error(result.error.message);
      summaries.push(result.value);
    }
    return { summaries };
  },
});
