import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Hex digits of the name of a database elsewhere. */
const NAME_LENGTH = 16;

/**
 * What `longshore stdio` and its engine run with. Hosts start their servers in whatever directory they happen
 * to be in, so where nothing is said the data are the user's, not the directory's, and tools read a folder of
 * their own instead of everything below it.
 */
export function engineEnvironment(env: Environment): Environment {
  const dataDir = path.resolve(env['DATA_DIR'] || path.join(homedir(), '.longshore'));
  return {
    ...env,
    DATA_DIR: dataDir,
    PLUGIN_DIRS: env['PLUGIN_DIRS'] || path.join(dataDir, 'files'),
  };
}

/** What its API and workers run with: nobody comes in but over stdio, or with a key. */
export function engineProcessEnvironment(env: Environment): Environment {
  const auth = env['AUTH'] || 'none';
  return {
    ...env,
    HOST: '127.0.0.1',
    PORT: '0',
    ALLOWED_HOSTS: '127.0.0.1',
    AUTH: auth === 'none' ? 'api-key' : auth,
  };
}

/** Where an engine is found: one for the embedded database of DATA_DIR, and one for each other database. */
export function engineDirectory(dataDir: string, databaseUrl: string | null): string {
  if (databaseUrl === null) return path.resolve(dataDir);
  const name = createHash('sha256').update(databaseUrl).digest('hex').slice(0, NAME_LENGTH);
  return path.resolve(dataDir, 'engines', name);
}
