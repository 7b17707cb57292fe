import path from 'node:path';
import { readSourceFacts } from './source-facts.ts';

/** A source file, by its path from the root of the repository, with `/`. */
export interface SourceFile {
  readonly file: string;
  readonly code: string;
}

/**
 * The arrows: which of our packages, or which one subpath of them, a workspace may import. Everything is
 * allowed nowhere: a new arrow is a decision, made here.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'packages/core': [],
  'packages/plugin': [],
  'packages/config': [],
  'packages/protocol': ['core'],
  'packages/network': [],
  'packages/operator': [],
  'packages/database': ['core', 'tracing'],
  'packages/queue': ['core'],
  'packages/files': ['config', 'core'],
  'packages/metrics': ['core'],
  'packages/tracing': [],
  'packages/embedded': ['core'],
  'packages/runtime': ['config', 'core', 'tracing'],
  'packages/plugin-text': ['plugin'],
  'packages/plugin-data': ['plugin'],
  'packages/plugin-images': ['plugin'],
  'packages/plugin-web': ['network', 'plugin'],
  'packages/plugin-conformance': ['plugin'],
  'packages/tasks-conformance': [],
  'packages/testing': ['core', 'database', 'plugin', 'queue'],
  // It runs the command line as a process, and imports nothing of it.
  'packages/testkit': [],
  // What a template matches is the plugin author's contract; of plugins the API knows nothing else.
  'apps/api': [
    'config',
    'core',
    'database',
    'files',
    'metrics',
    'network',
    'operator',
    'plugin/uri-template',
    'protocol',
    'queue',
    'runtime',
    'tracing',
  ],
  'apps/worker': [
    'config',
    'core',
    'database',
    'files',
    'metrics',
    'plugin',
    'queue',
    'runtime',
    'tracing',
  ],
  // A page in a browser: of ours it knows the contract of the operator API, by its types.
  'apps/dashboard': ['operator'],
  // What of its environment is meant for a plugin is the plugin package's to say.
  'apps/cli': [
    'config',
    'core',
    'database',
    'embedded',
    'operator',
    'plugin/process',
    'protocol',
    'queue',
    'runtime',
  ],
  'examples/demo': ['plugin', 'plugin-text'],
  'examples/tools': ['plugin'],
  benchmarks: ['core', 'database', 'embedded', 'plugin', 'queue', 'testing'],
  chaos: ['core', 'database', 'embedded', 'plugin', 'testing'],
};

/** Who may import which modules of others. Modules that are not listed are free. */
const OWNERS: readonly (readonly [module: RegExp, owners: readonly string[]])[] = [
  [/^@prisma\//, ['packages/database']],
  [
    /^pg$/,
    [
      'packages/database',
      'packages/queue',
      'packages/embedded',
      'packages/testing',
      'benchmarks',
      'chaos',
    ],
  ],
  [/^(bullmq|ioredis)(\/|$)/, ['packages/queue', 'packages/testing', 'benchmarks', 'chaos']],
  [
    /^@modelcontextprotocol\//,
    [
      'apps/api',
      'packages/protocol',
      'packages/testkit',
      'examples/demo',
      'examples/tools',
      'benchmarks',
    ],
  ],
  [/^aws4fetch$/, ['packages/files']],
  [/^prom-client$/, ['packages/metrics']],
  [/^@opentelemetry\//, ['packages/tracing']],
  // The SDK of OpenTelemetry is loaded where it is switched on, and nowhere else.
  [/^@longshore\/tracing\/sdk$/, ['packages/runtime']],
  [/^express(\/|$)/, ['apps/api', 'benchmarks']],
  [/^pino(-pretty)?$/, ['packages/runtime', 'apps/api', 'apps/worker', 'apps/cli']],
  [/^@jest\//, ['packages/testing']],
  // What a worker needs of plugins is no part of the author's API.
  [/^@longshore\/plugin\/host$/, ['apps/worker', 'packages/testing']],
];

/** Pure workspaces: no file, socket, timer or process; everything comes in through their parameters. */
const PURE: Readonly<Record<string, RegExp>> = {
  'packages/core': /^zod(\/|$)/,
  'packages/config': /^(zod(\/|$)|node:fs$)/,
  'packages/operator': /^zod(\/|$)/,
  'packages/protocol': /^(zod(\/|$)|@longshore\/core$|@modelcontextprotocol\/)/,
};

/** Where the environment is read: the entry of a process, what passes a part of it on, and what is no part of the product. */
const READS_ENVIRONMENT =
  /^(apps\/[^/]+\/src\/main\.ts$|packages\/plugin\/src\/process\/plugin-environment\.ts$|packages\/(testing|testkit)\/|benchmarks\/|examples\/)/;

/** The workspace a file belongs to, such as `packages/core`. */
export function workspaceOf(file: string): string {
  return /^(benchmarks|chaos|[^/]+\/[^/]+)/.exec(file)?.[0] ?? file;
}

/** @returns one sentence for each broken rule */
export function violationsOf({ file, code }: SourceFile): string[] {
  const workspace = workspaceOf(file);
  const facts = readSourceFacts(file, code);
  const found = facts.imports.flatMap((specifier) => {
    const broken = brokenRule(workspace, file, specifier);
    return broken === null ? [] : [`${file} imports ${specifier}: ${broken}`];
  });
  if (facts.readsEnvironment && !READS_ENVIRONMENT.test(file)) {
    found.push(
      `${file} reads process.env: only src/main.ts of an app does, through @longshore/config`,
    );
  }
  if (facts.joinsTimeouts) {
    found.push(
      `${file} joins an AbortSignal.timeout to another: on Node 20 it may be collected before it fires`,
    );
  }
  return found;
}

function brokenRule(workspace: string, file: string, specifier: string): string | null {
  if (specifier.startsWith('.')) {
    const target = path.posix.join(path.posix.dirname(file), specifier);
    return target.startsWith(`${workspace}/`) ? null : 'import another package by its name';
  }
  const ours = /^@longshore\/([^/]+)(\/.*)?$/.exec(specifier);
  const broken = ours === null ? null : brokenArrow(workspace, ours[1] ?? '', ours[2] ?? '');
  if (broken !== null) return broken;
  if (ours === null && PURE[workspace]?.test(specifier) === false) return `${workspace} is pure`;
  const owners = OWNERS.find(([module]) => module.test(specifier))?.[1];
  if (owners === undefined || owners.includes(workspace)) return null;
  return `only ${owners.join(', ')} may`;
}

function brokenArrow(workspace: string, target: string, subpath: string): string | null {
  const arrows = ARROWS[workspace];
  if (arrows === undefined)
    return `${workspace} has no arrows in test/architecture/import-rules.ts`;
  if (!arrows.includes(target) && !arrows.includes(`${target}${subpath}`))
    return `${workspace} may import ${arrows.join(', ') || 'nothing of ours'}`;
  return /^\/(src|dist)(\/|$)/.test(subpath) ? 'import what the package exports' : null;
}
