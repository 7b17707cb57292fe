import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { LongshoreError } from '@longshore/core';
import type { NativePostgres } from './native-postgres.ts';

/** A user and group by number. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** How the PostgreSQL programs are started, since they refuse to run as root. */
export interface RunAs {
  /** For the log. */
  readonly name: string;
  /** Whose the data must be; null: ours. */
  readonly owner: Owner | null;
  /** The command line that runs `file`. The process that results has the pid of the one spawned. */
  command(file: string, args: readonly string[]): readonly [string, string[]];
  /** For `spawn`. */
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

/** "nobody". A number without a name would not do: initdb looks its user up. */
const NOBODY: Owner = { uid: 65_534, gid: 65_534 };

const asOurselves: RunAs = {
  name: 'current user',
  owner: null,
  command: (file, args) => [file, [...args]],
  ids: {},
};

/** A user namespace in which root is called nobody: files stay root's, any folder of root's will do. */
const inUserNamespace: RunAs = {
  name: 'user namespace',
  owner: null,
  command: (file, args) => [
    'unshare',
    ['--user', `--map-user=${NOBODY.uid}`, `--map-group=${NOBODY.gid}`, file, ...args],
  ],
  ids: {},
};

/**
 * Another user who keeps root's right to enter every folder, for containers (they forbid user
 * namespaces) whose project lies in a closed folder such as /root. Without `no_setuid_fixup` the
 * access(2) calls of PostgreSQL would ignore that right.
 */
export function withAccessRight(owner: Owner): RunAs {
  return {
    name: `user ${owner.uid} with access right`,
    owner,
    command: (file, args) => [
      'setpriv',
      [
        '--securebits=+no_setuid_fixup',
        `--reuid=${owner.uid}`,
        `--regid=${owner.gid}`,
        '--clear-groups',
        '--inh-caps=-all,+dac_override',
        '--ambient-caps=-all,+dac_override',
        file,
        ...args,
      ],
    ],
    ids: {},
  };
}

/** Another user, who must be able to reach programs and data. */
export function asUser(owner: Owner): RunAs {
  return {
    name: `user ${owner.uid}`,
    owner,
    command: (file, args) => [file, [...args]],
    ids: owner,
  };
}

/**
 * Chooses how to run PostgreSQL: as ourselves, or, when we are root, as somebody else. Data that exists
 * is run by whom it belongs to, so `sudo` in between does not lock its user out.
 *
 * @param dir folder of the data directory
 * @param data the data directory, which need not exist
 * @throws {LongshoreError} DATABASE_UNAVAILABLE when no way works here
 */
export function chooseRunAs(native: NativePostgres, dir: string, data: string): RunAs {
  if (process.getuid?.() !== 0) return asOurselves;
  for (const candidate of candidatesForRoot(data)) {
    if (works(candidate, native, dir)) return candidate;
  }
  throw new LongshoreError(
    'DATABASE_UNAVAILABLE',
    `PostgreSQL does not run as root, and no other user can run it with its data in ${dir}. Start as an ordinary user, or put DATA_DIR where user ${NOBODY.uid} may enter and give ${data} to that user (chown -R ${NOBODY.uid}) if it exists, or set DATABASE_URL to a PostgreSQL server of your own.`,
  );
}

function candidatesForRoot(data: string): RunAs[] {
  if (!existsSync(data)) return [inUserNamespace, withAccessRight(NOBODY), asUser(NOBODY)];
  const { uid, gid } = statSync(data);
  return uid === 0 ? [inUserNamespace] : [withAccessRight({ uid, gid }), asUser({ uid, gid })];
}

function works(candidate: RunAs, native: NativePostgres, dir: string): boolean {
  const options = {
    ...candidate.ids,
    timeout: 30_000,
    ...(native.env === undefined ? {} : { env: native.env }),
  };
  const [program, args] = candidate.command(native.program('postgres'), ['--version']);
  if (spawnSync(program, args, options).status !== 0) return false;
  const [test, testArgs] = candidate.command('/bin/sh', ['-c', 'test -x "$0"', dir]);
  return spawnSync(test, testArgs, options).status === 0;
}
