import path from 'node:path';
import { waitFor } from '@longshore/testing';
import { WireClient } from '@longshore/testing/mcp';
import { FIXTURE_TOOLS, type Stack, type StackOptions, startStack } from './stack.ts';

const LEGACY_TOOLS = path.join(import.meta.dirname, '..', 'fixtures', 'legacy-tools.js');

/** Everything a client can be asked. */
export const ASKABLE = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: { listChanged: true },
};

export interface LegacyStack {
  readonly stack: Stack;
  /** A new session. */
  newClient(capabilities?: object, version?: string): Promise<WireClient>;
}

/** A stack with the tools that talk while they run. */
export async function startLegacyStack(options: StackOptions): Promise<LegacyStack> {
  const stack = await startStack({
    ...options,
    environment: {
      PLUGINS: `${FIXTURE_TOOLS},${LEGACY_TOOLS}`,
      SHUTDOWN_GRACE_MS: '0',
      ...options.environment,
    },
  });
  const newClient = async (capabilities = {}, version = '2025-11-25'): Promise<WireClient> => {
    const client = new WireClient(...stack.urls);
    await client.initialize(version, capabilities);
    return client;
  };
  const client = await newClient();
  for (const replica of stack.urls.keys()) {
    await waitFor(
      async () =>
        JSON.stringify(await client.result('tools/list', {}, { replica })).includes('narrate'),
      { what: 'the catalogue is there' },
    );
  }
  return { stack, newClient };
}

/** Creates a task and gives back its id. */
export async function startTask(
  client: WireClient,
  name: string,
  args: object = {},
  options: { replica?: number; progressToken?: string | number } = {},
): Promise<string> {
  const { progressToken, ...where } = options;
  const { task } = await client.result(
    'tools/call',
    {
      name,
      arguments: args,
      task: { ttl: 600_000 },
      ...(progressToken === undefined ? {} : { _meta: { progressToken } }),
    },
    where,
  );
  return (task as { taskId: string }).taskId;
}
