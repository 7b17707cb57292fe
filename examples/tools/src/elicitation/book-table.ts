import { defineTool, ToolError, z } from '@longshore/plugin';

const Details = z.object({
  guests: z.int().min(1).max(12).meta({ title: 'How many are you?' }),
  seating: z.enum(['inside', 'outside']).default('inside'),
});

export const bookTable = defineTool({
  name: 'book_table',
  description: 'Books a table at the harbour restaurant. Asks the user for what it has to know.',
  input: z.object({ day: z.iso.date() }),
  output: z.object({ booked: z.boolean(), table: z.string().nullable() }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  requires: ['elicitation'],
  task: { asksFirst: true },
  async run({ day }, ctx) {
    const answer = await ctx.elicit(Details, `A table on ${day}`, { key: 'details' });
    if (answer.action === 'cancel') throw new ToolError('The user has put it off.');
    if (answer.action === 'decline') return { booked: false, table: null };
    const { guests, seating } = answer.content;
    return { booked: true, table: `${guests} ${seating} on ${day}` };
  },
});
