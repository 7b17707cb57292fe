import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  ...['LOG_LEVEL', 'LOCAL_TOKEN', 'STDIO_IDLE_MS'],
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
