// Stands beside the bundles of an app and loads them with the code that V8 has compiled before: parsing five megabytes
// takes a third of the time until a process is ready. Without its code, or with that of another Node, a bundle is compiled
// as ever. Node 22 has `module.enableCompileCache` for this, Node 20 has not.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

// As Node 21 has it. Without it `pg` asks a `Response` whether this is Cloudflare, and that loads all of fetch.
globalThis.navigator ??= { userAgent: `Node.js/${process.versions.node.split('.', 1)[0]}` };

/** By file. */
const modules = new Map();

/**
 * @param name of a bundle in this folder: `main.cjs`
 * @returns what it exports
 */
export function loadBundle(name) {
  return load(path.join(import.meta.dirname, name));
}

/** Writes the code that has been compiled so far of each bundle that was loaded; for every user of this machine. */
export function keepCode() {
  process.umask(0o022);
  for (const [file, { script }] of modules) writeFileSync(codeOf(file), script.createCachedData());
}

function load(file) {
  const known = modules.get(file);
  if (known !== undefined) return known.module.exports;
  // On its first line, so that lines in stack traces are those of the file.
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`;
  const script = new vm.Script(source, {
    filename: file,
    cachedData: existsSync(codeOf(file)) ? readFileSync(codeOf(file)) : undefined,
  });
  const module = { exports: {} };
  modules.set(file, { module, script });
  const directory = path.dirname(file);
  const outside = createRequire(file);
  const require = (name) =>
    name.startsWith('./') && name.endsWith('.cjs')
      ? load(path.join(directory, name))
      : outside(name);
  // For what is outside the bundles; relative to this file, which lies beside them.
  require.import = (specifier) => import(specifier);
  script.runInThisContext()(
    module.exports,
    Object.assign(require, outside),
    module,
    file,
    directory,
  );
  return module.exports;
}

function codeOf(file) {
  return `${file}.code`;
}
