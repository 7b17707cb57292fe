import { defineTool, z } from '@longshore/plugin';

/** The least a tool can do. */
export const noop = defineTool({
  name: 'noop',
  description: 'Does nothing.',
  input: z.object({ text: z.string(), n: z.int().optional() }),
  run: () => 'done',
});
