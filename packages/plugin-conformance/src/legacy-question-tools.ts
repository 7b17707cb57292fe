import { defineTool, type FormSchema, type Tool, z } from '@longshore/plugin';
import { QUESTION_TIMEOUT_MS } from './question-timeout.ts';

const timeoutMs = QUESTION_TIMEOUT_MS;

/** SEP-1034: a default for each primitive type. */
const DEFAULTS: FormSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'User name', default: 'John Doe' },
    age: { type: 'integer', description: 'User age', default: 30 },
    score: { type: 'number', description: 'User score', default: 95.5 },
    status: {
      type: 'string',
      description: 'User status',
      enum: ['active', 'inactive', 'pending'],
      default: 'active',
    },
    verified: { type: 'boolean', description: 'Verification status', default: true },
  },
};

/** SEP-1330: the five ways to write a choice. */
const CHOICES: FormSchema = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: {
      type: 'string',
      oneOf: [
        { const: 'value1', title: 'First Option' },
        { const: 'value2', title: 'Second Option' },
        { const: 'value3', title: 'Third Option' },
      ],
    },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    },
    titledMulti: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: {
        anyOf: [
          { const: 'value1', title: 'First Choice' },
          { const: 'value2', title: 'Second Choice' },
          { const: 'value3', title: 'Third Choice' },
        ],
      },
    },
  },
};

/** Questions that 2025-11-25 clients get as requests of the server. */
export const legacyQuestionTools: readonly Tool[] = [
  defineTool({
    name: 'test_sampling',
    description: "Has the client's model answer a prompt.",
    input: z.object({ prompt: z.string().describe('The prompt to send to the model') }),
    requires: ['sampling'],
    run: async ({ prompt }, ctx) => {
      const { content } = await ctx.sample(
        { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 },
        { timeoutMs },
      );
      return `LLM response: ${JSON.stringify(content)}`;
    },
  }),
  defineTool({
    name: 'test_elicitation',
    description: 'Asks the user for a name and an address.',
    input: z.object({ message: z.string().describe('The message to show the user') }),
    requires: ['elicitation'],
    run: async ({ message }, ctx) => {
      const form = z.object({
        username: z.string().describe("User's response"),
        email: z.string().describe("User's email address"),
      });
      return `User response: ${JSON.stringify(await ctx.elicit(form, message, { timeoutMs }))}`;
    },
  }),
  defineTool({
    name: 'test_elicitation_sep1034_defaults',
    description: 'Shows the user a form with a default in each field.',
    input: z.object({}),
    requires: ['elicitation'],
    run: async (_input, ctx) => {
      const message = 'Please review and update the form fields with defaults';
      const answer = await ctx.elicit(DEFAULTS, message, { timeoutMs });
      return `Elicitation completed: ${JSON.stringify(answer)}`;
    },
  }),
  defineTool({
    name: 'test_elicitation_sep1330_enums',
    description: 'Shows the user a form with each kind of choice.',
    input: z.object({}),
    requires: ['elicitation'],
    run: async (_input, ctx) => {
      const message = 'Please select options from the enum fields';
      const answer = await ctx.elicit(CHOICES, message, { timeoutMs });
      return `Elicitation completed: ${JSON.stringify(answer)}`;
    },
  }),
];
