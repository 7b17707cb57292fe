// Bundles each app into its dist, from the sources: a process that loads a few files is ready in a third of
// the time of one that loads five hundred. What a plugin shares with its worker, and what brings code of the
// machine, stays outside. Does nothing when no source is younger than the bundles.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { parseSync } from 'rolldown/utils';
import { newest } from './newest.js';

const root = path.join(import.meta.dirname, '..');

/** The files that are run, by the names they have in dist. */
const ENTRIES = {
  api: { main: 'src/main.ts' },
  worker: {
    main: 'src/main.ts',
    'thread-main': 'src/threads/thread-main.ts',
    'check-main': 'src/check/main.ts',
  },
  cli: { main: 'src/main.ts', index: 'src/index.ts' },
};

/** A plugin's package is the same module for the plugin and for its worker. */
const OUTSIDE = [/^@longshore\/plugin(\/|$)/, 'pg-native', 'msgpackr-extract'];

/** Prisma's, which few calls need: as a text it is as quick. */
const LAZY = /^query_compiler/;

const LOADER = path.join(import.meta.dirname, 'load-bundle.js');

const changed = newest(
  ...['apps', 'packages'].flatMap((group) =>
    readdirSync(path.join(root, group))
      .filter((name) => name !== 'dashboard')
      .map((name) => path.join(root, group, name, 'src')),
  ),
  path.join(root, 'package-lock.json'),
  import.meta.filename,
  LOADER,
);
for (const [app, input] of Object.entries(ENTRIES)) {
  const cwd = path.join(root, 'apps', app);
  const dist = path.join(cwd, 'dist');
  const bundled = path.join(dist, 'main.js');
  if (existsSync(bundled) && statSync(bundled).mtimeMs > changed) continue;
  const bundle = await rolldown({
    cwd,
    input,
    platform: 'node',
    external: OUTSIDE,
    resolve: { conditionNames: ['@longshore/source', 'node'] },
    plugins: [{ name: 'imports', renderChunk: (code, { fileName }) => importing(fileName, code) }],
    onLog: (level, { code, message }, log) => {
      // Of generated code, which is not ours to mend.
      if (code !== 'CIRCULAR_DEPENDENCY') log(level, message);
    },
  });
  const { output } = await bundle.write({
    dir: dist,
    format: 'cjs',
    cleanDir: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  });
  const loader = path.join(dist, path.basename(LOADER));
  copyFileSync(LOADER, loader);
  const chunks = output.map(({ fileName }) => fileName).filter((name) => !LAZY.test(name));
  compile(loader, chunks);
  for (const { name, fileName, exports } of output.filter(({ isEntry }) => isEntry)) {
    writeFileSync(path.join(dist, `${name}.js`), entry(fileName, name === 'index' ? exports : []));
  }
}

/** Kept code can not import by itself (the flag is experimental, and says so): the loader does it for it. */
function importing(fileName, code) {
  const { dynamicImports } = parseSync(fileName, code).module;
  return dynamicImports.reduceRight(
    (rest, { start }) => `${rest.slice(0, start)}require.${rest.slice(start)}`,
    code,
  );
}

/** The module that stands for a bundle. */
function entry(fileName, exports) {
  const named = exports.length === 0 ? '' : `export const { ${exports.join(', ')} } = `;
  return `import { loadBundle } from './${path.basename(LOADER)}';\n\n${named}loadBundle('${fileName}');\n`;
}

/** Keeps the code of bundles once all of their modules have run. A port that is none ends an app before it does anything. */
function compile(loader, names) {
  const script = `import { keepCode, loadBundle } from ${JSON.stringify(loader)};
    process.on('exit', keepCode);
    for (const name of ${JSON.stringify(names)}) try { loadBundle(name); } catch {}`;
  const { status, error } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, PORT: 'none' },
    stdio: 'ignore',
    timeout: 30_000,
  });
  if (error !== undefined || !existsSync(`${path.join(path.dirname(loader), names[0])}.code`))
    throw new Error(`the code of ${names[0]} was not kept: ${error?.message ?? status}`);
}
