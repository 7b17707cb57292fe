// `npm run python-clients`: has pip make the virtual environment of the Python clients that tests of interoperability
// drive, .cache/python-clients, from test/python/requirements.txt. Does nothing when it is there already.
// Needs python3 (3.10 or newer) with venv, and PyPI.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const requirements = path.join(root, 'test/python/requirements.txt');
const folder = path.join(root, '.cache/python-clients');
/** A copy of the requirements, written when all of them are installed. */
const installed = path.join(folder, 'requirements.txt');

/** Minutes at the worst; an index that does not answer must not hang whoever waits. */
const TIMEOUT_MS = 600_000;

if (!isInstalled()) install();
process.stdout.write(`Python clients: ${folder}\n`);

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
