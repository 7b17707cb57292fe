import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { VARIABLES } from '@longshore/config';
import * as z from 'zod';
import { processIdentity } from '../database/process-identity.ts';

const Settings = z.record(z.string(), z.string());

/** The address of what runs in a directory, as it lies there. */
const EngineAddress = z.object({
  /** Of the process that started API and workers. */
  pid: z.int(),
  identity: z.string().nullable(),
  /** The MCP endpoint. */
  url: z.url({ protocol: /^http$/ }),
  /** Makes a request one of the user whose directory this is. */
  token: z.string(),
  /** It ends when nobody needs it; else somebody else decides when. */
  endsByItself: z.boolean(),
  /** A digest of each variable that was set, so that others can see what differs and learn no secret. */
  settings: Settings,
});
export type EngineAddress = z.output<typeof EngineAddress>;

/** What one process sets of its own, and nobody else needs to agree with. */
const OWN_VARIABLES = new Set([
  ...['DATA_DIR', 'HOST', 'PORT', 'ALLOWED_HOSTS', 'AUTH'],
  ...['LOG_LEVEL', 'LOCAL_TOKEN', 'STDIO_CHANNEL', 'STDIO_IDLE_MS'],
]);

/** Readable for its owner only, and there whole or not at all. */
export function publishAddress(
  directory: string,
  address: Omit<EngineAddress, 'pid' | 'identity'>,
): void {
  const file = addressFile(directory);
  const { pid } = process;
  mkdirSync(directory, { recursive: true });
  rmSync(`${file}.new`, { force: true });
  writeFileSync(
    `${file}.new`,
    JSON.stringify({ pid, identity: processIdentity(pid), ...address }),
    { mode: 0o600, flag: 'wx' },
  );
  renameSync(`${file}.new`, file);
  register(directory);
}

/** Takes the address away, when it is ours. */
export function withdrawAddress(directory: string): void {
  if (readAddress(directory)?.pid === process.pid) rmSync(addressFile(directory), { force: true });
}

/** Where the living engine of a directory is; null: there is none, or it is not ready. */
export function findEngine(directory: string): EngineAddress | null {
  const address = readAddress(directory);
  if (address === null || processIdentity(address.pid) !== address.identity) return null;
  return address;
}

/** The engines of this user that live, in the order of their folders. */
export function livingEngines(): readonly {
  readonly directory: string;
  readonly engine: EngineAddress;
}[] {
  return registered()
    .flatMap(({ directory }) => {
      const engine = findEngine(directory);
      return engine === null ? [] : [{ directory, engine }];
    })
    .sort((a, b) => a.directory.localeCompare(b.directory));
}

/** A digest of each variable of ours that is set. */
export function settingsOf(
  env: Readonly<Record<string, string | undefined>>,
): z.output<typeof Settings> {
  const set = Object.keys(VARIABLES).flatMap((name) => {
    const value = env[name];
    if (value === undefined || value === '' || OWN_VARIABLES.has(name)) return [];
    return [[name, createHash('sha256').update(value).digest('base64url')] as const];
  });
  return Object.fromEntries(set);
}

/** The names of the variables in which two differ. */
export function differingSettings(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => one[name] !== other[name]).sort();
}

/** So that the user's commands find it in whatever folder they are typed; who has no home goes without. */
function register(directory: string): void {
  const name = createHash('sha256').update(directory).digest('hex');
  try {
    mkdirSync(serversDirectory(), { recursive: true, mode: 0o700 });
    for (const { file, directory: other } of registered()) {
      if (findEngine(other) === null) rmSync(file, { force: true });
    }
    writeFileSync(path.join(serversDirectory(), name), directory, { mode: 0o600 });
  } catch {
    // The command line finds it in its own folder, or by LONGSHORE_URL.
  }
}

/** A file for each folder, so that several that start at once do not undo one another's. */
function registered(): readonly { readonly file: string; readonly directory: string }[] {
  try {
    return readdirSync(serversDirectory()).map((name) => {
      const file = path.join(serversDirectory(), name);
      return { file, directory: readFileSync(file, 'utf8') };
    });
  } catch {
    // None has ever run, or one of them is being taken away right now.
    return [];
  }
}

function serversDirectory(): string {
  return path.join(homedir(), '.longshore', 'servers');
}

function readAddress(directory: string): EngineAddress | null {
  let text: string;
  try {
    text = readFileSync(addressFile(directory), 'utf8');
  } catch {
    return null;
  }
  try {
    return EngineAddress.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function addressFile(directory: string): string {
  return path.join(directory, 'engine.json');
}
