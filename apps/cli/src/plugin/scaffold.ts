/** Where the parts of Longshore are, as seen from the new plugin; with `/`. */
export interface ScaffoldPaths {
  readonly pluginPackage: string;
  readonly cli: string;
}

/**
 * The files of a new plugin, by their paths in it.
 *
 * @param name of the package
 */
export function scaffold(name: string, paths: ScaffoldPaths): Readonly<Record<string, string>> {
  const tool = `${name.replaceAll(/[^a-z0-9]+/g, '_')}_countdown`;
  return {
    'package.json': manifest(name, paths),
    'tsconfig.json': TSCONFIG,
    '.gitignore': 'node_modules/\n.longshore/\n',
    'src/index.ts': source(tool),
    'test/countdown.test.ts': TEST,
    'README.md': readme(name, tool, paths),
  };
}

function manifest(name: string, { pluginPackage, cli }: ScaffoldPaths): string {
  const longshore = `node "${cli}"`;
  const content = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    exports: './src/index.ts',
    scripts: {
      test: 'node --import @longshore/plugin/typescript --test test/countdown.test.ts',
      check: `${longshore} plugin check .`,
      dev: `${longshore} plugin dev .`,
      typecheck: 'tsc',
    },
    dependencies: { '@longshore/plugin': `file:${pluginPackage}` },
    devDependencies: { '@types/node': '20.19.43', typescript: '7.0.2' },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** What Node.js can run as it is: types that are only left out, imports with their extension. */
const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "lib": ["es2023"],
    "module": "nodenext",
    "types": ["node"],
    "strict": true,
    "noEmit": true,
    "allowImportingTsExtensions": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "skipLibCheck": true
  },
  "include": ["src", "test"]
}
`;

function source(tool: string): string {
  return `import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, z } from '@longshore/plugin';

export const countdown = defineTool({
  name: '${tool}',
  description: 'Counts down to zero, a second per step, and tells how far it is.',
  input: z.object({
    from: z.int().min(1).max(600).describe('Where to begin, in seconds.'),
  }),
  output: z.object({ counted: z.int(), said: z.string() }),
  task: { timeoutMs: 900_000, attempts: 3 },
  async run({ from }, ctx) {
    for (let step = 1; step <= from; step += 1) {
      await sleep(1_000, undefined, { signal: ctx.signal });
      ctx.progress(step, from, \`\${from - step} to go\`);
    }
    return { counted: from, said: 'Lift-off!' };
  },
});
`;
}

const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTool, startTool } from '@longshore/plugin/testing';
import { countdown } from '../src/index.ts';

test('counts, and says how far it is', async () => {
  const { output, progress } = await runTool(countdown, { from: 1 });
  assert.equal(output.counted, 1);
  assert.equal(progress.at(-1)?.message, '0 to go');
});

test('stops when it is cancelled', async () => {
  const run = startTool(countdown, { from: 600 });
  run.abort();
  await assert.rejects(run.output, { name: 'AbortError' });
});

test('refuses what does not fit', async () => {
  await assert.rejects(runTool(countdown, { from: 0 }), /from/);
});
`;

function readme(name: string, tool: string, { cli }: ScaffoldPaths): string {
  return `# ${name}

Tools for a Longshore server. \`src/index.ts\` exports them: each export that \`defineTool\` made is one.

| command | does |
| --- | --- |
| \`npm test\` | runs the tool in memory |
| \`npm run check\` | says what a worker would refuse, and what models need |
| \`npm run dev\` | offers the tools to the Longshore that runs here, and reloads on save |
| \`npm run typecheck\` | checks the types; \`npm install\` brings the compiler |

In what follows \`longshore\` is \`node "${cli}"\`. While \`npm run dev\` runs:

\`\`\`sh
longshore call ${tool} --arg from=5
printf 'from\\n1\\n2\\n3\\n' > items.csv && longshore batch ${tool} --items items.csv
\`\`\`

To offer the tools for good, name this folder in \`PLUGINS\` of the workers. Node.js 22.18 and newer runs TypeScript as it is; for
older ones \`@longshore/plugin\` brings a loader. Write only types that can be left out (no \`enum\`, no \`namespace\`), and
import with the extension: \`./words.ts\`.
`;
}
