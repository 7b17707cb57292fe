// `npm run conformance`: runs the official MCP conformance suite against a real server with the tools of
// packages/plugin-conformance, prints a table, and fails when a check did not pass that is not excused in
// scripts/conformance/baseline.json. Needs a build and, for the suite, the npm registry.
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { compareWithBaseline, readBaseline } from './conformance/baseline.js';
import { readResults } from './conformance/results.js';
import { startServer } from './conformance/server.js';
import { fetchSuite } from './conformance/suite.js';
import { formatTable } from './conformance/table.js';

const folder = path.join(import.meta.dirname, '..', '.cache', 'conformance');
const logFile = path.join(folder, 'server.log');
const startedAt = performance.now();
const say = (text) => process.stdout.write(`${text}\n`);

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop.abort());

try {
  process.exitCode = (await conformance()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${stop.signal.aborted ? 'interrupted' : error.stack}\n`);
  process.exitCode = 1;
}

async function conformance() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [suite, server] = await both(fetchSuite(), startServer(logFile));
  try {
    return report(await runAll(suite, server.url));
  } finally {
    await server.stop();
  }
}

/** Both or none: a server is not left behind when there is no suite. */
async function both(fetching, starting) {
  const [suite, server] = await Promise.allSettled([fetching, starting]);
  if (suite.status === 'fulfilled' && server.status === 'fulfilled') {
    return [suite.value, server.value];
  }
  if (server.status === 'fulfilled') await server.value.stop();
  throw suite.status === 'rejected' ? suite.reason : server.reason;
}

/**
 * The requirement sets of both protocol eras, then each scenario of the tasks extension by itself, because
 * the sets run those without counting them. One after the other: some scenarios measure time.
 */
async function runAll(suite, url) {
  const tasks = suite.scenarios.filter((name) => name.startsWith('tasks-'));
  const runs = [
    ...['2025-11-25', '2026-07-28'].map((run) => ({ run, args: ['--requirements', run] })),
    ...tasks.map((name) => ({ run: 'tasks', args: ['--scenario', name] })),
  ];
  const results = [];
  for (const { run, args } of runs) {
    const output = path.join(folder, run, args[1]);
    const end = await suite.run(['server', '--url', url, ...args, '-o', output], stop.signal);
    stop.signal.throwIfAborted();
    results.push(...readResults(run, output, end));
  }
  return results;
}

/** @returns whether everything is as it should be */
function report(results) {
  say(formatTable(results));
  const { excused, unexcused, stale } = compareWithBaseline(results, readBaseline());
  const name = ({ run, scenario, check }) => `${run} ${scenario} ${check}`;
  for (const check of excused)
    say(`\nexcused: ${name(check)} (${check.status})\n  ${check.reason}`);
  for (const check of unexcused) say(`\n${check.status}: ${name(check)}\n  ${check.message}`);
  for (const excuse of stale) say(`\nSTALE: ${name(excuse)} is in the baseline, but it passes`);
  const isGood = unexcused.length === 0 && stale.length === 0;
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const verdict = isGood ? 'conformant' : `NOT conformant (server log: ${logFile})`;
  say(`\n${verdict}, ${excused.length} checks excused, ${seconds} s`);
  return isGood;
}
