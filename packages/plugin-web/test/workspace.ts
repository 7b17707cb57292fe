import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPlugin, type PluginHost, type Tool } from '@longshore/plugin';
import { testHost } from '@longshore/plugin/testing';
import * as module from '@longshore/plugin-web';

/** Temporary directories and hosts as an operator would grant them. */
export interface Workspace {
  readonly host: PluginHost;
  tool(name: string): Tool;
  write(path: string, content: string): Promise<void>;
  remove(): Promise<void>;
}

/** @param privateHosts such as that of a local site */
export async function createWorkspace(privateHosts: readonly string[]): Promise<Workspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'longshore-web-')));
  const host = testHost({
    directories: [join(root, 'in')],
    dataDir: join(root, 'out'),
    network: { hosts: ['*'], privateHosts, userAgent: 'harbourbot/1.0 (+mailto:ops@example.com)' },
  });
  await mkdir(join(root, 'in'));
  await mkdir(join(root, 'out'));
  const { tools } = loadPlugin(module, host);
  return {
    host,
    tool: (name) => {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`the plugin has no tool ${name}`);
      return tool;
    },
    write: (path, content) => writeFile(join(root, 'in', path), content),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
