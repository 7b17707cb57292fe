import process from 'node:process';
import * as z from 'zod';
import { checkPlugin } from './check-plugin.ts';
import type { PluginReport } from './plugin-report.ts';

/*
 * Checks one plugin in a process of its own, for `longshore plugin check` and `plugin dev`: what the plugin does when it
 * is imported, and that it may be imported only once, is nobody else's concern. It is told over IPC what to load, and
 * answers there.
 */

const Order = z.object({
  specifier: z.string(),
  /** Absolute. */
  currentDirectory: z.string(),
  directories: z.array(z.string()),
  dataDir: z.string(),
  fileLimits: z.object({ fileBytes: z.number(), principalBytes: z.number() }),
  network: z.object({
    hosts: z.array(z.string()),
    privateHosts: z.array(z.string()),
    userAgent: z.string(),
  }),
});

process.once('message', (message) => {
  void answer(message).then((report) => process.send?.(report, () => process.exit(0)));
});
process.once('disconnect', () => process.exit(1));
// What a plugin leaves behind is not what was asked for.
process.on('unhandledRejection', () => {});

async function answer(message: unknown): Promise<PluginReport> {
  const { specifier, currentDirectory, ...host } = Order.parse(message);
  return checkPlugin({
    specifier,
    search: { currentDirectory, workerDirectory: import.meta.dirname },
    host: { ...host, resourceUpdated: () => {}, catalogueChanged: () => {} },
  });
}
