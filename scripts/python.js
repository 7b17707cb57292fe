// `npm run python-clients`, `npm run python-peers`: has pip make a virtual environment under .cache from a list of exact
// versions: the Python clients that tests of interoperability drive, or the Python peers that the benchmark of that name
// measures. Does nothing when it is there already. Needs python3 (3.10 or newer) with venv, and PyPI.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

const REQUIREMENTS = {
  clients: 'test/python/requirements.txt',
  peers: 'benchmarks/python/requirements.txt',
};

const [name] = process.argv.slice(2);
if (!Object.hasOwn(REQUIREMENTS, name)) {
  throw new Error(`usage: node scripts/python.js ${Object.keys(REQUIREMENTS).join('|')}`);
}
const root = path.join(import.meta.dirname, '..');
const requirements = path.join(root, REQUIREMENTS[name]);
const folder = path.join(root, `.cache/python-${name}`);
/** A copy of the requirements, written when all of them are installed. */
const installed = path.join(folder, 'requirements.txt');

/** Minutes at the worst; an index that does not answer must not hang whoever waits. */
const TIMEOUT_MS = 600_000;

if (!isInstalled()) install();
process.stdout.write(`Python ${name}: ${folder}\n`);

function isInstalled() {
  return existsSync(installed) && readFileSync(installed).equals(readFileSync(requirements));
}

function install() {
  rmSync(folder, { recursive: true, force: true });
  run('python3', ['-m', 'venv', folder]);
  const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet'];
  const python = path.join(folder, 'bin/python');
  // Only what is listed, and only wheels: nothing of a package runs while it is installed.
  const only = ['--no-deps', '--only-binary', ':all:', '--no-compile'];
  run(python, [...pip, 'install', ...only, '--requirement', requirements]);
  run(python, [...pip, 'check']);
  copyFileSync(requirements, installed);
}

function run(command, args) {
  execFileSync(command, args, { stdio: 'inherit', timeout: TIMEOUT_MS });
}
