import { defineTool, type Tool, z } from '@longshore/plugin';
import { QUESTION_TIMEOUT_MS } from './question-timeout.ts';

const timeoutMs = QUESTION_TIMEOUT_MS;

const Name = z.object({ name: z.string() });

/** Questions that 2026-07-28 clients get as the result of their request (SEP-2322). */
export const roundTripTools: readonly Tool[] = [
  defineTool({
    name: 'test_input_required_result_elicitation',
    description: 'Asks the user for a name and greets.',
    input: z.object({}),
    run: async (_input, ctx) => {
      const answer = await ctx.elicit(Name, 'What is your name?', { key: 'user_name', timeoutMs });
      return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Hello, stranger!';
    },
  }),
  defineTool({
    name: 'test_input_required_result_sampling',
    description: "Asks the client's model for a capital.",
    input: z.object({}),
    run: async (_input, ctx) => {
      const { content } = await ctx.sample(
        {
          messages: [
            { role: 'user', content: { type: 'text', text: 'What is the capital of France?' } },
          ],
          maxTokens: 100,
        },
        { key: 'capital_question', timeoutMs },
      );
      return `The model says: ${JSON.stringify(content)}`;
    },
  }),
  defineTool({
    name: 'test_input_required_result_list_roots',
    description: 'Lists the directories the client works on.',
    input: z.object({}),
    run: async (_input, ctx) => {
      const roots = await ctx.listRoots({ key: 'client_roots', timeoutMs });
      return `Roots: ${roots.map(({ uri }) => uri).join(', ')}`;
    },
  }),
  defineTool({
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks for a name, a greeting and directories, all at once.',
    input: z.object({}),
    run: async (_input, ctx) => {
      const greeting = {
        messages: [{ role: 'user', content: { type: 'text', text: 'Generate a greeting' } }],
        maxTokens: 50,
      } as const;
      const answers = await Promise.all([
        ctx.elicit(Name, 'What is your name?', { key: 'user_name', timeoutMs }),
        ctx.sample(greeting, { key: 'greeting', timeoutMs }),
        ctx.listRoots({ key: 'client_roots', timeoutMs }),
      ]);
      return `Answers: ${JSON.stringify(answers)}`;
    },
  }),
  defineTool({
    name: 'test_input_required_result_multi_round',
    description: 'Asks for a name, and then for a colour.',
    input: z.object({}),
    run: async (_input, ctx) => {
      const name = await ctx.elicit(Name, 'Step 1: What is your name?', {
        key: 'step1',
        timeoutMs,
      });
      const color = await ctx.elicit(
        z.object({ color: z.string() }),
        'Step 2: What is your favorite color?',
        { key: 'step2', timeoutMs },
      );
      return `Answers: ${JSON.stringify([name, color])}`;
    },
  }),
  defineTool({
    name: 'test_input_required_result_capabilities',
    description: 'Asks whatever the client said it can answer.',
    input: z.object({}),
    run: async (_input, ctx) => {
      const question = {
        messages: [{ role: 'user', content: { type: 'text', text: 'Say something' } }],
        maxTokens: 50,
      } as const;
      const answers = await Promise.all([
        ctx.client.elicitation.form ? ctx.elicit(Name, 'What is your name?', { timeoutMs }) : null,
        ctx.client.sampling ? ctx.sample(question, { timeoutMs }) : null,
      ]);
      return `Answers: ${JSON.stringify(answers)}`;
    },
  }),
  defineTool({
    name: 'test_streaming_elicitation',
    description: 'Reports progress and asks the user to go on.',
    input: z.object({}),
    requires: ['elicitation'],
    run: async (_input, ctx) => {
      ctx.progress(1, 2, 'about to ask');
      const answer = await ctx.elicit(z.object({ ok: z.boolean() }), 'Go on?', { timeoutMs });
      return `Answer: ${answer.action}`;
    },
  }),
  defineTool({
    name: 'test_missing_capability',
    description: 'Is refused to clients without sampling.',
    input: z.object({}),
    requires: ['sampling'],
    run: () => 'The client declared sampling.',
  }),
];
