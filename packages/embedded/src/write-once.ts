import { randomUUID } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { hasCode } from './system-error.ts';

/**
 * Creates `file` with `content` and mode 0600, unless it exists. Of several processes that try at once
 * one succeeds, and nobody ever sees the file half written.
 *
 * @returns whether this call created it
 */
export function writeOnce(file: string, content: string): boolean {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, content, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}
