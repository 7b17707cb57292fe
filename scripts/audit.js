// Asks the registry for known vulnerabilities of what runs in production (`npm audit --omit=dev`) and fails on those
// that are high or critical, unless scripts/audit-exceptions.json says why one is no danger here:
//
//   [{ "advisory": "GHSA-…", "reason": "…", "reviewed": "2026-01-31", "until": "2026-07-31" }]
//
// An exception ends on its `until`, and one that nothing needs any more is a failure too. A registry that can not
// be asked (none reachable, or a mirror without the audit endpoint) is said loudly and is no failure, except with
// AUDIT_REQUIRED=true. Arguments: [file of exceptions] [more arguments for npm …]
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const FATAL = new Set(['high', 'critical']);
const TIMEOUT_MS = 120_000;

const [file = path.join(import.meta.dirname, 'audit-exceptions.json'), ...npmArguments] =
  process.argv.slice(2);
const say = (line) => process.stdout.write(`${line}\n`);

process.exitCode = await main();

/** The exit code. */
async function main() {
  const exceptions = readExceptions(file);
  const report = await npmAudit();
  if (report.vulnerabilities === undefined) {
    say(`NOT CHECKED for known vulnerabilities: ${report.problem}`);
    return process.env.AUDIT_REQUIRED === 'true' ? 1 : 0;
  }
  const advisories = advisoriesOf(report.vulnerabilities);
  const today = new Date().toISOString().slice(0, 10);
  let failures = 0;
  for (const [id, { severity, title, packages }] of advisories) {
    const where = `${id} (${severity}) in ${[...packages].join(', ')}: ${title}`;
    const exception = exceptions.get(id);
    if (!FATAL.has(severity)) say(`noted: ${where}`);
    else if (exception === undefined) failures += fail(where);
    else if (exception.until < today)
      failures += fail(`${where}; excepted until ${exception.until}`);
    else say(`excepted until ${exception.until}: ${where} (${exception.reason})`);
  }
  for (const id of exceptions.keys()) {
    if (!advisories.has(id)) failures += fail(`the exception for ${id} is not needed: take it out`);
  }
  say(`audit: ${advisories.size} advisories for production dependencies, ${failures} to act on`);
  return failures > 0 ? 1 : 0;
}

function fail(line) {
  say(`FAILED: ${line}`);
  return 1;
}

function readExceptions(from) {
  const exceptions = new Map();
  for (const exception of JSON.parse(readFileSync(from, 'utf8'))) {
    const { advisory, reason, reviewed, until } = exception;
    const isDated = [reviewed, until].every((date) => /^\d{4}-\d\d-\d\d$/.test(date));
    if (!advisory || !reason || !isDated) {
      throw new Error(
        `${from}: advisory, reason, reviewed and until are needed, got ${JSON.stringify(exception)}`,
      );
    }
    exceptions.set(advisory, exception);
  }
  return exceptions;
}

/** npm's report, or `{ problem }` when the registry gave none. */
function npmAudit() {
  const args = ['audit', '--omit=dev', '--json', '--fetch-retries=0', ...npmArguments];
  return new Promise((resolve) => {
    const options = { cwd: ROOT, timeout: TIMEOUT_MS, maxBuffer: 64 * 1_048_576 };
    // npm ends with 1 also when it has found something: only its output says which.
    execFile('npm', args, options, (error, stdout) => {
      const report = parseJson(stdout);
      if (report?.vulnerabilities !== undefined) resolve(report);
      else resolve({ problem: report?.message || error?.message || 'npm audit said nothing' });
    });
  });
}

/** By the id of the advisory: its severity, its title, and the packages it is about. */
function advisoriesOf(vulnerabilities) {
  const advisories = new Map();
  for (const { via } of Object.values(vulnerabilities)) {
    // Text names a package that is vulnerable through another one, which is listed by itself.
    for (const advisory of via.filter((cause) => typeof cause === 'object')) {
      const id = /GHSA-[\w-]+/.exec(advisory.url)?.[0] ?? String(advisory.source);
      const { severity, title, name } = advisory;
      const known = advisories.get(id) ?? { severity, title, packages: new Set() };
      known.packages.add(name);
      advisories.set(id, known);
    }
  }
  return advisories;
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
