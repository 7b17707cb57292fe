import { homedir } from 'node:os';
import path from 'node:path';
import type { Config } from '@longshore/config';
import { findEngine } from '../engine/engine-address.ts';
import { engineDirectory } from '../engine/engine-settings.ts';
import { CliError, EXIT } from './cli-error.ts';

/** Which server a command asks. */
export interface ServerAddress {
  readonly url: string;
  /** Null: without credentials. */
  readonly token: string | null;
  /** Who said so, for messages. */
  readonly source: string;
}

/**
 * The server that is named, else what this user runs here, else that of the configuration.
 * @throws {CliError} the URL is none
 */
export function serverAddress(
  options: { readonly url?: string | undefined; readonly apiKey?: string | undefined },
  config: Config,
): ServerAddress {
  const token = options.apiKey ?? config.LONGSHORE_API_KEY;
  if (options.url !== undefined) return { url: checked(options.url), token, source: '--url' };
  if (config.LONGSHORE_URL !== null) {
    return { url: config.LONGSHORE_URL, token, source: 'LONGSHORE_URL' };
  }
  const directories = [config.DATA_DIR, path.join(homedir(), '.longshore')].map((dataDir) =>
    engineDirectory(dataDir, config.DATABASE_URL),
  );
  for (const directory of directories) {
    const engine = findEngine(directory);
    if (engine === null) continue;
    return { url: engine.url, token: token ?? engine.token, source: `runs in ${directory}` };
  }
  return { url: `http://127.0.0.1:${config.PORT}/mcp`, token, source: 'by PORT' };
}

function checked(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new CliError(EXIT.usage, `--url '${url}' is no URL such as http://127.0.0.1:3000/mcp`);
}
