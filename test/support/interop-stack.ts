import path from 'node:path';
import { waitFor } from '@longshore/testing';
import { ModernClient } from '@longshore/testing/mcp';
import { type RoundRobinProxy, startRoundRobinProxy } from '@longshore/testing/network';
import { FIXTURE_TOOLS, type Stack, type StackOptions, startStack } from './stack.ts';

const FIXTURES = path.join(import.meta.dirname, '..', 'fixtures');
const PLUGINS = [
  FIXTURE_TOOLS,
  path.join(FIXTURES, 'library-plugin.js'),
  path.join(FIXTURES, 'interop-tools.js'),
];

/** Two APIs behind a proxy that sends each request to the other one than the last. */
export interface InteropStack {
  readonly stack: Stack;
  readonly proxy: RoundRobinProxy;
  /** The only address that clients under test know. */
  readonly url: URL;
  /** Path of a plugin module of the fixtures. */
  plugin(file: string): string;
  stop(): Promise<void>;
}

/** Resolves when the API at this address knows the tools. */
export async function untilCatalogued(url: string): Promise<void> {
  const client = new ModernClient([url]);
  await waitFor(
    async () => JSON.stringify(await client.result('tools/list')).includes('ask_user'),
    { what: `the catalogue is there at ${url}` },
  );
}

export async function startInteropStack(options: StackOptions): Promise<InteropStack> {
  const stack = await startStack({
    apis: 2,
    workers: 1,
    ...options,
    // Clients poll as often as they are told to.
    environment: { PLUGINS: PLUGINS.join(','), POLL_INTERVAL_MS: '200', ...options.environment },
  });
  await Promise.all(stack.urls.map(untilCatalogued));
  const proxy = await startRoundRobinProxy(stack.urls);
  return {
    stack,
    proxy,
    url: new URL(proxy.url),
    plugin: (file) => path.join(FIXTURES, file),
    stop: async () => {
      await proxy.close();
      await stack.stop();
    },
  };
}
