// `npm test`, after the build: starts the servers the tests need, runs jest (arguments are passed on), stops
// everything whatever happens, and ends with the slowest files and one line `N passed, N failed` for whoever counts.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { guard } from '../packages/testing/dist/processes/index.js';
import { startTestServers } from './test-servers.js';

const root = path.join(import.meta.dirname, '..');
const resultFile = path.join(root, '.cache', `test-results-${process.pid}.json`);

/** Far over a whole run on a slow machine; a run that hangs must not hang whoever waits for it. */
const TIMEOUT_MS = 45 * 60_000;

/** How many of the slowest files are named at the end. */
const SLOWEST = 20;

let running = null;
let endedBy = null;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    endedBy ??= signal;
    running?.kill('SIGTERM');
    // Jest waits for its tests; those that hang are killed.
    setTimeout(() => running?.kill('SIGKILL'), 5_000).unref();
  });
}

process.exitCode = await test();
if (endedBy !== null) process.exitCode = 1;

async function test() {
  const servers = await startTestServers(process.env);
  try {
    if (endedBy !== null) return 1;
    if (servers.redisUrl === null && !announceMissingRedis()) return 1;
    const status = await runJest(servers, guard);
    return printResult() ? status : status || 1;
  } finally {
    await servers.stop();
  }
}

/** @returns whether the tests can go on without */
function announceMissingRedis() {
  const isOnCi = Boolean(process.env['CI']);
  const consequence = isOnCi
    ? 'CI is set, so every test must run: nothing was tested.'
    : 'The tests that need Redis are NOT run; they are listed as todo.';
  process.stderr.write(
    `There is no redis-server on this machine. ${consequence}\nInstall it (apt-get install redis-server, brew install redis) or set TEST_REDIS_URL.\n`,
  );
  return !isOnCi;
}

function runJest({ databaseUrl, redisUrl }, guard) {
  mkdirSync(path.dirname(resultFile), { recursive: true });
  const jest = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    path.join(root, 'node_modules/jest/bin/jest.js'),
  ];
  // A minute for a test: the processes and servers of one may share two slow cores with those of others.
  const options = ['--testTimeout=60000', '--json', `--outputFile=${resultFile}`];
  // Not that of whoever runs the tests: what runs here is noted there for the command line.
  const home = path.join(root, '.cache', 'home');
  mkdirSync(home, { recursive: true });
  const environment = { ...process.env, HOME: home, TEST_DATABASE_URL: databaseUrl };
  if (redisUrl !== null) environment['TEST_REDIS_URL'] = redisUrl;
  return run([...jest, ...options, ...process.argv.slice(2)], environment, (pid) =>
    guard({ pid, signal: 'SIGKILL' }),
  );
}

/**
 * @param keep told the pid; returns what to call when the process has ended
 * @returns the exit code of a Node process with these arguments
 */
async function run(args, env = process.env, keep = () => () => {}) {
  if (endedBy !== null) return 1;
  running = spawn(process.execPath, args, {
    cwd: root,
    env,
    // Jest writes for people on the standard error; its standard output is the JSON once more.
    stdio: ['inherit', args.includes('--json') ? 'ignore' : 'inherit', 'inherit'],
  });
  const release = keep(running.pid);
  const timer = setTimeout(() => {
    process.stderr.write(`the tests do not end: killed after ${TIMEOUT_MS / 60_000} minutes\n`);
    running?.kill('SIGKILL');
  }, TIMEOUT_MS);
  const status = await new Promise((resolve) => running.once('exit', (code) => resolve(code ?? 1)));
  clearTimeout(timer);
  release();
  running = null;
  return status;
}

/** @returns false when jest left no result */
function printResult() {
  if (!existsSync(resultFile)) return false;
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  rmSync(resultFile);
  printSlowest(result.testResults);
  // A file that can not even be loaded has no tests to count: it counts as one.
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  const counts = [`${result.numPassedTests} passed`, `${failed} failed`];
  if (result.numPendingTests > 0) counts.push(`${result.numPendingTests} skipped`);
  if (result.numTodoTests > 0) counts.push(`${result.numTodoTests} todo`);
  process.stdout.write(`${counts.join(', ')}\n`);
  return true;
}

/** Where the time went, for whoever makes the tests faster. Several files run at a time. */
function printSlowest(files) {
  const timed = files
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds);
  if (timed.length < 2) return;
  process.stdout.write('\nslowest files, in seconds:\n');
  for (const { name, seconds } of timed.slice(0, SLOWEST)) {
    process.stdout.write(`${seconds.toFixed(1).padStart(7)}  ${path.relative(root, name)}\n`);
  }
}
