import path from 'node:path';
import { type SpawnedProcess, type SpawnOptions, spawnProcess } from './spawned-process.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

/** Starts `apps/<name>/dist/main.js`, as production does; run a build first. */
export function spawnApp(
  name: 'api' | 'worker' | 'cli',
  args: readonly string[],
  options: SpawnOptions,
): Promise<SpawnedProcess> {
  const main = path.join(ROOT, 'apps', name, 'dist', 'main.js');
  return spawnProcess(process.execPath, [main, ...args], { cwd: ROOT, ...options });
}
