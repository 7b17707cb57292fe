import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadPlugin, type PluginHost, type Tool } from '@longshore/plugin';
import { testHost } from '@longshore/plugin/testing';
import * as module from '@longshore/plugin-data';

/** Temporary directories as an operator would grant them: `in` to read, `out` to write. */
export interface Workspace {
  readonly root: string;
  readonly host: PluginHost;
  tool(name: string): Tool;
  write(path: string, content: string | Uint8Array): Promise<void>;
  remove(): Promise<void>;
}

export async function createWorkspace(): Promise<Workspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'longshore-data-')));
  const host = testHost({ directories: [join(root, 'in')], dataDir: join(root, 'out') });
  await mkdir(join(root, 'in'));
  await mkdir(join(root, 'out'));
  const { tools } = loadPlugin(module, host);
  return {
    root,
    host,
    tool: (name) => {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`the plugin has no tool ${name}`);
      return tool;
    },
    write: async (path, content) => {
      await mkdir(dirname(join(root, 'in', path)), { recursive: true });
      await writeFile(join(root, 'in', path), content);
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
