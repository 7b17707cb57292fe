import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { WireClient } from '@longshore/testing/mcp';
import { spawnProcess } from '@longshore/testing/processes';
import { type Stack, startStack } from './support/stack.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** Inside the repository, where the packages that the examples import are found. */
const DIRECTORY = path.join(ROOT, '.cache', `readme-${process.pid}`);

const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
const block = (language: string): string => {
  const found = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
  if (found === undefined) throw new Error(`README has no ${language} block`);
  return found;
};

describe('the examples of README', () => {
  let stack: Stack;
  let wire: WireClient;

  beforeAll(async () => {
    mkdirSync(DIRECTORY, { recursive: true });
    writeFileSync(path.join(DIRECTORY, 'my-tools.js'), block('js'));
    stack = await startStack({
      mode: 'postgres',
      environment: {
        // As README says, and as `npm start` has it.
        PLUGINS: `${DIRECTORY}/my-tools.js`,
        BUNDLED_PLUGINS: '',
        PLUGIN_DIRS: ROOT,
      },
    });
    wire = new WireClient(...stack.urls);
    await wire.initialize();
    await waitFor(
      async () => JSON.stringify(await wire.result('tools/list')).includes('countdown'),
      {
        what: 'the catalogue is there',
      },
    );
  });
  afterAll(async () => {
    await stack.stop();
    rmSync(DIRECTORY, { recursive: true, force: true });
  });

  it('“write a tool” is a tool that works', async () => {
    const result = await wire.result('tools/call', { name: 'countdown', arguments: { from: 1 } });
    expect(result).toMatchObject({ structuredContent: { counted: 1 } });
  });

  it('the client connects, starts a task and prints its result', async () => {
    const file = path.join(DIRECTORY, 'client.mjs');
    const code = block('ts').replace('http://127.0.0.1:3000/mcp', stack.urls[0] ?? '');
    writeFileSync(file, code);
    const client = await spawnProcess(process.execPath, [file], { cwd: ROOT });
    expect(await client.exited).toMatchObject({ code: 0 });
    expect(client.logs()).toContain('taskCreated');
    expect(client.logs()).toMatch(/result \{/);
    expect(client.logs()).toContain('files_counted: 1');
  });
});
