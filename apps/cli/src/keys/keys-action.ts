import { parseArgs } from 'node:util';
import { isScope, type PrincipalLimits } from '@longshore/core';
import { parseLimits } from './parse-limits.ts';

/** What `longshore keys` was asked for. */
export type KeysAction =
  | {
      readonly kind: 'create';
      readonly name: string;
      /** Empty: all. */
      readonly scopes: readonly string[];
      readonly expiresInMs: number | null;
      readonly principal: string | null;
      /** Empty: those of the configuration. */
      readonly limits: Partial<PrincipalLimits>;
      readonly json: boolean;
    }
  | { readonly kind: 'list'; readonly json: boolean }
  | { readonly kind: 'revoke'; readonly id: string; readonly json: boolean };

const JSON_OPTION = { json: { type: 'boolean', default: false } } as const;
const HELP_OPTION = { help: { type: 'boolean', short: 'h', default: false } } as const;
const CREATE_OPTIONS = {
  name: { type: 'string' },
  scope: { type: 'string', multiple: true, default: [] as string[] },
  expires: { type: 'string' },
  principal: { type: 'string' },
  limit: { type: 'string', multiple: true, default: [] as string[] },
} as const;

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const MAX_DAYS = 36_500;

/** Shown to people, so without what moves the cursor. */
const READABLE = /^[^\p{Cc}]{1,200}$/u;

/**
 * @param args what follows `keys`
 * @returns what was asked for; `help`; else what is wrong
 */
export function parseKeysAction(args: readonly string[]): KeysAction | string {
  const [action, ...rest] = args;
  try {
    switch (action) {
      case 'create':
        return parseCreate(rest);
      case 'list':
        return parseList(rest);
      case 'revoke':
        return parseRevoke(rest);
      case '--help':
      case '-h':
        return 'help';
      case undefined:
        return 'keys: create, list or revoke?';
      default:
        return `unknown command 'keys ${action}'`;
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function parseCreate(args: readonly string[]): KeysAction | string {
  const { values } = parseArgs({
    args: [...args],
    options: { ...CREATE_OPTIONS, ...JSON_OPTION, ...HELP_OPTION },
  });
  if (values.help) return 'help';
  const { name, scope: scopes, expires, principal = null, limit, json } = values;
  if (name === undefined) return 'keys create needs --name: what the key is for';
  if (!READABLE.test(name)) return '--name: 1 to 200 characters, none of them a control character';
  if (principal !== null && !READABLE.test(principal)) {
    return '--principal: 1 to 200 characters, none of them a control character';
  }
  const wrong = scopes.find((scope) => !isScope(scope));
  if (wrong !== undefined) {
    return `--scope '${wrong}' is none of tasks:read, tasks:write, tools:NAME, tools:*, prompts:*, resources:*`;
  }
  const expiresInMs = expires === undefined ? null : parseDuration(expires);
  if (Number.isNaN(expiresInMs)) return `--expires '${expires}' is no duration such as 12h or 30d`;
  const limits = parseLimits(limit);
  if (typeof limits === 'string') return limits;
  const unique = [...new Set(scopes)];
  return { kind: 'create', name, scopes: unique, expiresInMs, principal, limits, json };
}

function parseList(args: readonly string[]): KeysAction | string {
  const { values } = parseArgs({ args: [...args], options: { ...JSON_OPTION, ...HELP_OPTION } });
  return values.help ? 'help' : { kind: 'list', json: values.json };
}

function parseRevoke(args: readonly string[]): KeysAction | string {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...JSON_OPTION, ...HELP_OPTION },
    allowPositionals: true,
  });
  if (values.help) return 'help';
  const [id, extra] = positionals;
  if (id === undefined) return 'keys revoke needs the id of a key: see keys list';
  if (extra !== undefined) return `'keys revoke' takes no second argument '${extra}'`;
  return { kind: 'revoke', id, json: values.json };
}

/** @returns milliseconds; NaN when it is none */
function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? Number.NaN);
  return ms > 0 && ms <= MAX_DAYS * 86_400_000 ? ms : Number.NaN;
}
