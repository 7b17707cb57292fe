import { defineTool, ProtocolError, type Tool, ToolError, z } from '@longshore/plugin';
import { pause } from './pause.ts';
import { QUESTION_TIMEOUT_MS } from './question-timeout.ts';

const timeoutMs = QUESTION_TIMEOUT_MS;

/** What the tasks-* scenarios run (SEP-2663). */
export const taskTools: readonly Tool[] = [
  defineTool({
    name: 'greet',
    description: 'Greets, without a task.',
    input: z.object({ name: z.string() }),
    task: { support: 'forbidden' },
    run: ({ name }) => `Hello, ${name}!`,
  }),
  defineTool({
    name: 'slow_compute',
    description: 'Takes as long as it is told.',
    input: z.object({ seconds: z.number().min(0).max(300), label: z.string().optional() }),
    run: async ({ seconds, label = 'it' }, { signal }) => {
      await pause(seconds * 1_000, signal);
      return `Computed ${label} in ${seconds} s`;
    },
  }),
  defineTool({
    name: 'failing_job',
    description: 'Works for a second and fails.',
    input: z.object({}),
    task: { support: 'required' },
    run: async (_input, { signal }) => {
      await pause(1_000, signal);
      throw new ToolError('The job failed, as it always does');
    },
  }),
  defineTool({
    name: 'protocol_error_job',
    description: 'Ends with a protocol error instead of a result.',
    input: z.object({}),
    task: { support: 'required' },
    run: () => {
      throw new ProtocolError(-32603, 'The job broke, as it always does');
    },
  }),
  defineTool({
    name: 'confirm_delete',
    description: 'Asks before it deletes a file; deletes nothing.',
    input: z.object({ filename: z.string() }),
    run: async ({ filename }, ctx) => {
      const form = z.object({ confirm: z.boolean() });
      const answer = await ctx.elicit(form, `Delete ${filename}?`, { timeoutMs });
      const isConfirmed = answer.action === 'accept' && answer.content.confirm;
      return isConfirmed ? `Deleted ${filename}` : `Kept ${filename}`;
    },
  }),
  defineTool({
    name: 'multi_input',
    description: 'Asks two questions at once.',
    input: z.object({}),
    run: async (_input, ctx) => {
      const answers = await Promise.all([
        ctx.elicit(z.object({ name: z.string() }), 'What is your name?', { timeoutMs }),
        ctx.elicit(z.object({ confirm: z.boolean() }), 'Go on?', { timeoutMs }),
      ]);
      return `Answers: ${JSON.stringify(answers)}`;
    },
  }),
  defineTool({
    name: 'test_tool_with_task',
    description: 'Asks for a name before it becomes a task.',
    input: z.object({}),
    task: { support: 'required', asksFirst: true },
    run: async (_input, ctx) => {
      const form = z.object({ name: z.string() });
      const answer = await ctx.elicit(form, 'What is your name?', { key: 'user_name', timeoutMs });
      await pause(300, ctx.signal);
      return answer.action === 'accept' ? `Worked for ${answer.content.name}` : 'Worked for nobody';
    },
  }),
];
