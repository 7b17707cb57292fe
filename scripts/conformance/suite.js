// The official suite: fetched by npx, in a version of its own, never a dependency of this repository.
import { execFile, spawn } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

/** Exact, because npm's `latest` knows neither tasks nor requirement sets, and alpha.11 refuses correct tasks. */
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';

/** What the suite is run with where the installed Node is too old for it: it needs fs.globSync. */
const NODE_VERSION = '22.23.3';
const OLDEST_NODE = 22;

const FETCH_TIMEOUT_MS = 180_000;

/** Many times what any run takes: a run that hangs must not hang whoever waits for it. */
const RUN_TIMEOUT_MS = 300_000;

const run = promisify(execFile);

/**
 * Has npx fetch the suite, install scripts blocked.
 *
 * @returns what runs it with given arguments, and the names of all scenarios for servers
 */
export async function fetchSuite() {
  const packages = [SUITE, ...nodePackage()].flatMap((name) => ['--package', name]);
  const where = path.join(import.meta.dirname, 'where.js');
  const { stdout } = await run(
    process.platform === 'win32' ? 'npx.cmd' : 'npx',
    ['--yes', '--ignore-scripts', ...packages, '-c', `node "${where}"`],
    { timeout: FETCH_TIMEOUT_MS, shell: process.platform === 'win32' },
  );
  const { node, suite } = JSON.parse(stdout);
  if (suite === undefined) throw new Error(`npx fetched no ${SUITE}`);
  const list = await run(node, [suite, 'list', '--server']);
  const scenarios = [...list.stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
  return { scenarios, run: (args, signal) => runSuite(node, [suite, ...args], signal) };
}

/** @returns its exit code (null when it was killed) and what it wrote */
function runSuite(node, args, signal) {
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawn(node, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      timeout: RUN_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.once('error', (error) => (error.name === 'AbortError' ? {} : reject(error)));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** The npm package with a Node for this platform; none when ours is new enough. */
function nodePackage() {
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) return [];
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  return [`node-${platform}-${process.arch}@${NODE_VERSION}`];
}
