import { definePrompt, type Prompt, z } from '@longshore/plugin';
import { QUESTION_TIMEOUT_MS } from './question-timeout.ts';
import { PIXEL } from './samples.ts';

const PLACES = ['paris', 'park', 'party'];

export const prompts: readonly Prompt[] = [
  definePrompt({
    name: 'test_simple_prompt',
    description: 'A prompt without arguments.',
    run: () => 'This is a simple prompt for testing.',
  }),
  definePrompt({
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two arguments.',
    arguments: z.object({
      arg1: z.string().describe('First test argument'),
      arg2: z.string().describe('Second test argument'),
    }),
    complete: { arg1: (value) => PLACES.filter((place) => place.startsWith(value)) },
    run: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  }),
  definePrompt({
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource in it.',
    arguments: z.object({ resourceUri: z.string().describe('URI of the resource to embed') }),
    run: ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: {
              uri: resourceUri,
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          },
        },
        {
          role: 'user',
          content: { type: 'text', text: 'Please process the embedded resource above.' },
        },
      ],
    }),
  }),
  definePrompt({
    name: 'test_prompt_with_image',
    description: 'A prompt with an image in it.',
    run: () => ({
      messages: [
        { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
        { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
      ],
    }),
  }),
  definePrompt({
    name: 'test_input_required_result_prompt',
    description: 'A prompt that asks the user what it is about.',
    run: async (_arguments, ctx) => {
      const answer = await ctx.elicit(
        z.object({ context: z.string() }),
        'What context should the prompt use?',
        { key: 'user_context', timeoutMs: QUESTION_TIMEOUT_MS },
      );
      return answer.action === 'accept' ? `Context: ${answer.content.context}` : 'No context';
    },
  }),
];
