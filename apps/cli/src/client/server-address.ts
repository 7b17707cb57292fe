import { homedir } from 'node:os';
import path from 'node:path';
import type { Config } from '@longshore/config';
import { type EngineAddress, findEngine, livingEngines } from '../engine/engine-address.ts';
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

interface Wish {
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
}

interface Living {
  readonly directory: string;
  readonly engine: EngineAddress;
}

/**
 * The server that is named, else what this user runs: in this folder, for the hosts, or anywhere; else that of the
 * configuration. What this user runs is asked as its owner, however it was found.
 *
 * @throws {CliError} the URL is none, or several run and none is meant
 */
export function serverAddress(wish: Wish, config: Config): ServerAddress {
  const given = wish.apiKey ?? config.LONGSHORE_API_KEY;
  const named = wish.url === undefined ? config.LONGSHORE_URL : checked(wish.url);
  const engines = engineCandidates(config);
  if (named !== null) {
    const own = engines.find(({ engine }) => engine.url === named);
    const source = wish.url === undefined ? 'LONGSHORE_URL' : '--url';
    return { url: named, token: given ?? own?.engine.token ?? null, source };
  }
  const found = meant(engines, config);
  if (found === null) {
    return { url: `http://127.0.0.1:${config.PORT}/mcp`, token: given, source: 'by PORT' };
  }
  const { directory, engine } = found;
  return { url: engine.url, token: given ?? engine.token, source: `runs in ${directory}` };
}

/** What else this user runs, for who has asked the wrong one. */
export function otherServers(wish: Wish, config: Config): string {
  const { url } = serverAddress(wish, config);
  const others = engineCandidates(config).filter(({ engine }) => engine.url !== url);
  if (others.length === 0) return '';
  return ` (asked: ${url}). There also run: ${others.map(described).join('; ')}: say --url`;
}

/** In the order in which they are asked. */
function engineCandidates(config: Config): readonly Living[] {
  const near = nearDirectories(config).flatMap((directory) => {
    const engine = findEngine(directory);
    return engine === null ? [] : [{ directory, engine }];
  });
  const others = livingEngines().filter(
    ({ directory }) => !near.some((known) => known.directory === directory),
  );
  return [...near, ...others];
}

function nearDirectories({ DATA_DIR, DATABASE_URL }: Config): readonly string[] {
  const directories = [DATA_DIR, path.join(homedir(), '.longshore')].map((dataDir) =>
    engineDirectory(dataDir, DATABASE_URL),
  );
  return [...new Set(directories)];
}

function meant(engines: readonly Living[], config: Config): Living | null {
  const near = nearDirectories(config);
  const port = String(config.PORT);
  const [first = null, ...others] = engines;
  if (first === null || others.length === 0 || near.includes(first.directory)) return first;
  const byPort = engines.find(({ engine }) => new URL(engine.url).port === port);
  if (byPort !== undefined) return byPort;
  throw new CliError(
    EXIT.usage,
    `several servers run here: ${engines.map(described).join('; ')}. Say which one with --url or LONGSHORE_URL.`,
  );
}

const described = ({ directory, engine }: Living): string => `${engine.url} (in ${directory})`;

function checked(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new CliError(EXIT.usage, `--url '${url}' is no URL such as http://127.0.0.1:3000/mcp`);
}
