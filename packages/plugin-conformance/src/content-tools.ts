import { defineTool, type Tool, ToolError, z } from '@longshore/plugin';
import { PIXEL, SILENCE } from './samples.ts';

const nothing = z.object({});

/** Every kind of content a tool can answer with, and an error. */
export const contentTools: readonly Tool[] = [
  defineTool({
    name: 'test_simple_text',
    description: 'Answers with a text.',
    input: nothing,
    run: () => 'This is a simple text response for testing.',
  }),
  defineTool({
    name: 'test_image_content',
    description: 'Answers with an image.',
    input: nothing,
    run: () => ({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] }),
  }),
  defineTool({
    name: 'test_audio_content',
    description: 'Answers with a sound.',
    input: nothing,
    run: () => ({ content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] }),
  }),
  defineTool({
    name: 'test_embedded_resource',
    description: 'Answers with a resource inside the result.',
    input: nothing,
    run: () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  }),
  defineTool({
    name: 'test_multiple_content_types',
    description: 'Answers with a text, an image and a resource.',
    input: nothing,
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          },
        },
      ],
    }),
  }),
  defineTool({
    name: 'test_error_handling',
    description: 'Fails.',
    input: nothing,
    run: () => {
      throw new ToolError('This tool intentionally returns an error for testing');
    },
  }),
];
