// Bundles each app into its dist, from the sources: a process that loads a few files is ready in a third of
// the time of one that loads five hundred. What a plugin shares with its worker, and what brings code of the
// machine, stays outside. Does nothing when no source is younger than the bundles.
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

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

const changed = newest(
  ...['apps', 'packages'].flatMap((group) =>
    readdirSync(path.join(root, group)).map((name) => path.join(root, group, name, 'src')),
  ),
  path.join(root, 'package-lock.json'),
  import.meta.filename,
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
    onLog: (level, { code, message }, log) => {
      // Of generated code, which is not ours to mend.
      if (code !== 'CIRCULAR_DEPENDENCY') log(level, message);
    },
  });
  await bundle.write({
    dir: dist,
    format: 'esm',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
  });
}

/** @returns when the youngest of these files, or of those in these folders, was written, in ms since 1970 */
function newest(...places) {
  return Math.max(
    ...places.filter(existsSync).flatMap((place) => {
      const inside = statSync(place).isDirectory()
        ? readdirSync(place, { recursive: true }).map((name) => path.join(place, name))
        : [];
      return [place, ...inside].map((file) => statSync(file).mtimeMs);
    }),
  );
}
