import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { NetworkGrant, PluginHost, Tool } from '@longshore/plugin';
import { loadPlugin } from '@longshore/plugin/host';
import { testHost } from '@longshore/plugin/testing';

/** A plugin with temporary directories as an operator would grant them: `in` to read, `out` to write. */
export interface PluginWorkspace {
  readonly root: string;
  readonly host: PluginHost;
  /** @throws {Error} the plugin has none of this name */
  tool(name: string): Tool;
  /** @param path below `in` */
  write(path: string, content: string | Uint8Array): Promise<void>;
  remove(): Promise<void>;
}

/**
 * @param module what the plugin's package exports
 * @param network hosts it may ask; none unless said otherwise
 */
export async function createPluginWorkspace(
  module: object,
  { network }: { readonly network?: NetworkGrant } = {},
): Promise<PluginWorkspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'longshore-plugin-')));
  const host = testHost({
    directories: [join(root, 'in')],
    dataDir: join(root, 'out'),
    ...(network === undefined ? {} : { network }),
  });
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
