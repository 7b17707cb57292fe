import path from 'node:path';
import { waitFor } from '@longshore/testing';
import { ModernClient } from '@longshore/testing/mcp';
import { FIXTURE_TOOLS, type Stack, type StackOptions, startStack } from './stack.ts';

export const MODERN_TOOLS = path.join(import.meta.dirname, '..', 'fixtures', 'modern-tools.js');

/** A stack with the tools that ask, and a client of the modern era that takes its replicas in turn. */
export async function startModernStack(
  options: StackOptions,
): Promise<{ stack: Stack; client: ModernClient }> {
  const stack = await startStack({
    ...options,
    environment: { PLUGINS: `${FIXTURE_TOOLS},${MODERN_TOOLS}`, ...options.environment },
  });
  const client = new ModernClient(stack.urls);
  for (const replica of stack.urls.keys()) {
    await waitFor(
      async () =>
        JSON.stringify(await client.result('prompts/list', {}, { replica })).includes('ask_'),
      { what: 'the catalogue is there' },
    );
  }
  return { stack, client };
}
