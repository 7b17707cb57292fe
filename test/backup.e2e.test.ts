import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '@longshore/embedded';
import { describeWhere } from '@longshore/testing';
import { type SpawnedProcess, spawnApp, spawnProcess } from '@longshore/testing/processes';
import { OperatorApi } from './support/operator-client.ts';
import { FIXTURE_TOOLS, RESULT_TOOLS } from './support/stack.ts';

const DEPLOY = path.join(import.meta.dirname, '..', 'deploy');
const DEBIAN = '/usr/lib/postgresql';

/** Of a server and the `pg_dump` that fits it: that of npm comes without one. Null: not installed. */
function postgresBin(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort().reverse() : [];
  const bins = versions.map((version) => path.join(DEBIAN, version, 'bin'));
  return bins.find((bin) => existsSync(path.join(bin, 'postgres'))) ?? null;
}

const BIN = postgresBin();

function tests(): void {
  const bin = BIN ?? '';
  const apps: SpawnedProcess[] = [];
  let dir: string;
  let data: string;
  let server: SpawnedProcess;
  let base: string;

  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-backup-'));
    data = mkdtempSync(path.join(tmpdir(), 'longshore-backup-postgres-'));
    const isRoot = userInfo().uid === 0;
    // Postgres does not run as root; Debian's package brings a user for it.
    const as = isRoot ? ['runuser', '-u', 'postgres', '--'] : ['env'];
    if (isRoot) {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
      chownSync(data, id('-u'), id('-g'));
    }
    const [command = '', ...before] = as;
    const initdb = [
      ...before,
      path.join(bin, 'initdb'),
      '-D',
      data,
      '-U',
      'me',
      '-A',
      'trust',
      '-N',
    ];
    execFileSync(command, initdb, { cwd: '/' });
    const port = await freePort();
    const flags = [
      '-D',
      data,
      '-p',
      String(port),
      '-k',
      data,
      '-c',
      'listen_addresses=127.0.0.1',
      '-F',
    ];
    server = await spawnProcess(command, [...before, path.join(bin, 'postgres'), ...flags], {
      cwd: '/',
      ready: /ready to accept connections/,
    });
    base = `postgresql://me@127.0.0.1:${port}`;
  }, 60_000);
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.kill()));
    // `runuser` passes on nothing else.
    await server.kill('SIGTERM');
    rmSync(dir, { recursive: true });
    rmSync(data, { recursive: true });
  }, 60_000);

  const envOf = (name: string) => ({
    DATABASE_URL: `${base}/${name}`,
    DATA_DIR: path.join(dir, name),
    REDIS_URL: '',
    PORT: '0',
    PLUGINS: `${FIXTURE_TOOLS},${RESULT_TOOLS}`,
    BUNDLED_PLUGINS: 'false',
    LEASE_MS: '1000',
    RESULT_INLINE_BYTES: '4096',
  });
  const createDatabase = (name: string): void => {
    execFileSync(path.join(bin, 'psql'), ['-qc', `CREATE DATABASE ${name}`, `${base}/postgres`]);
  };
  const script = (name: string, database: string) => {
    const env = { ...process.env, ...envOf(database), PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const args = [path.join(dir, 'backup')];
    return spawnSync(path.join(DEPLOY, name), args, { encoding: 'utf8', env });
  };
  const startApi = async (database: string): Promise<OperatorApi> => {
    const api = await spawnApp('api', [], { env: envOf(database), ready: /api ready/ });
    apps.push(api);
    const [, url = ''] = /"url":"([^"]+)"/.exec(await api.waitForLine(/api ready/)) ?? [];
    return new OperatorApi(url, null);
  };
  const startWorker = async (database: string): Promise<void> => {
    apps.push(await spawnApp('worker', [], { env: envOf(database), ready: /worker ready/ }));
  };

  it('brings results, files and open tasks into an empty database, while all goes on', async () => {
    createDatabase('before');
    const migrated = await spawnApp('cli', ['migrate'], { env: envOf('before') });
    expect(await migrated.exited).toMatchObject({ code: 0 });
    await startWorker('before');
    const source = await startApi('before');
    const large = await source.run('lines', { count: 2_000 });
    const report = await source.run('report', { count: 3, bytes: 5 });
    await source.inPhase(large, 'completed');
    await source.inPhase(report, 'completed');
    await source.call('POST /tools/{name}/pause', { params: { name: 'echo' } });
    const open = await source.run('echo', { text: 'still to be done' });

    expect(script('backup.sh', 'before')).toMatchObject({ status: 0, stderr: '' });
    expect(script('restore.sh', 'before')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^restore\.sh: the database has \d+ tables: restore into/),
    });
    createDatabase('after');
    expect(script('restore.sh', 'after')).toMatchObject({ status: 0, stderr: '' });

    const target = await startApi('after');
    const whole = async (api: OperatorApi): Promise<string> =>
      (await fetch(`${api.base}/tasks/${large}/result/download`)).text();
    const wanted = await whole(source);
    expect(wanted).toContain('line 1999');
    expect(await whole(target)).toBe(wanted);
    const { files } = await target.call('GET /tasks/{id}', { params: { id: report } });
    const [file] = files;
    const name = encodeURIComponent(file?.name ?? '');
    const bytes = await fetch(`${target.base}/tasks/${report}/files/${name}`);
    expect((await bytes.arrayBuffer()).byteLength).toBe(file?.size);
    await startWorker('after');
    await target.call('POST /tools/{name}/resume', { params: { name: 'echo' } });
    await target.inPhase(open, 'completed');
    expect(await target.text(open)).toContain('still to be done');
  }, 120_000);
}

describeWhere(
  'a backup',
  BIN === null ? 'there is no PostgreSQL with pg_dump: apt-get install postgresql' : null,
  tests,
);
