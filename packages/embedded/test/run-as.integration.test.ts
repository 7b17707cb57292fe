import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/index.ts';
import { findNativePostgres } from '../src/native-postgres.ts';
import { asUser, withAccessRight } from '../src/run-as.ts';
import { startWith } from '../src/start-embedded-postgres.ts';

/*
 * PostgreSQL refuses to run as root. Which of the ways around that a machine allows differs, so as root each
 * is tried here; an ordinary user has none of them, and runs the other tests as an ordinary user.
 */

const NOBODY = { uid: 65_534, gid: 65_534 };
const FIXTURES = path.join(import.meta.dirname, 'fixtures');
const START_AND_STOP = [process.execPath, path.join(FIXTURES, 'start-and-stop.js')] as const;

const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0;
const itAsRoot = (claim: string, test: () => Promise<void>): void => {
  if (isRootOnLinux) it(claim, test, 30_000);
  else it.todo(`${claim} (NOT RUN: needs root on Linux)`);
};

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'longshore-embedded-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

/** What start-and-stop.js says about its run in `dir`. */
function run(command: readonly string[]): unknown {
  const [program = '', ...args] = [...command, dir];
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}

const isAllowed = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args).status === 0;

const hasUserNamespaces = isAllowed('unshare', '--user', '--map-user=65534', 'true');

it('runs as whoever we are, in one way or another', async () => {
  const postgres = await startEmbeddedPostgres({ dir });
  await expect(postgres.stop()).resolves.toBeUndefined();
});

itAsRoot('runs for an ordinary user', async () => {
  chownSync(dir, NOBODY.uid, NOBODY.gid);
  const plain = ['--reuid=65534', '--regid=65534', '--clear-groups'];
  const canReach = isAllowed('setpriv', ...plain, 'test', '-r', START_AND_STOP[1]);
  const [program, args] = canReach
    ? (['setpriv', [...plain, ...START_AND_STOP]] as const)
    : withAccessRight(NOBODY).command(START_AND_STOP[0], [START_AND_STOP[1]]);
  expect(run([program, ...args])).toEqual({
    uid: NOBODY.uid,
    runAs: ['current user'],
    dataUid: NOBODY.uid,
  });
});

itAsRoot('runs for root of a container, in a folder only root may enter', async () => {
  chmodSync(dir, 0o700);
  // In a container that is what we are already.
  const emulation = hasUserNamespaces ? [path.join(FIXTURES, 'as-container-root.sh')] : [];
  expect(run([...emulation, ...START_AND_STOP])).toEqual({
    uid: 0,
    runAs: ['user 65534 with access right'],
    dataUid: NOBODY.uid,
  });
});

itAsRoot('runs data of an ordinary user as that user when root starts it', async () => {
  const owner = { uid: 1, gid: 1 }; // daemon, which every Linux has
  chownSync(dir, owner.uid, owner.gid);
  await start(withAccessRight(owner)).then((postgres) => postgres.stop());
  expect(run(START_AND_STOP)).toEqual({
    uid: 0,
    runAs: ['user 1 with access right'],
    dataUid: owner.uid,
  });
});

itAsRoot('runs as another user without any rights, in a folder that one may enter', async () => {
  const programs = findNativePostgres(path.join(dir, 'pg.lib')).program('postgres');
  chmodSync(dir, 0o711);
  const canReach = isAllowed('setpriv', '--reuid=65534', '--clear-groups', programs, '--version');
  const outcome = await start(asUser(NOBODY)).then(
    (postgres) => postgres.stop().then(() => 'ran'),
    () => 'could not reach the programs',
  );
  expect(outcome).toBe(canReach ? 'ran' : 'could not reach the programs');
});

function start(runAs: Parameters<typeof startWith>[1]): Promise<EmbeddedPostgres> {
  return startWith(findNativePostgres(path.join(dir, 'pg.lib')), runAs, { dir });
}
