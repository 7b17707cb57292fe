import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { isScope, LIMIT_RANGES, type PrincipalLimits } from '@longshore/core';
import type { Handlers } from './handlers.ts';
import { leaf } from './help.ts';
import { collect } from './options.ts';

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
/** A hundred years. */
const MAX_MS = 36_500 * 86_400_000;

/** Shown to people, so without what moves the cursor. */
const READABLE = /^[^\p{Cc}]{1,200}$/u;

/** `keys`. */
export function keysCommands({ keys }: Handlers) {
  const create = leaf(
    'create',
    'make a key, and print it once',
    'In DATABASE_URL or the database of a running `start`, as all of these. Keys of the same principal share their tasks; without --principal a key is a principal of its own.',
    ['longshore keys create --name laptop --scope tools:* --expires 30d', 'prints the key'],
  )
    .addOption(
      new Option('--name <name>', 'what the key is for').argParser(readable).makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--scope <scope>',
        'what it may do, several times for several: tasks:read, tasks:write, tools:NAME, tools:*, prompts:*, resources:*, and for those who run the server ops:read, ops:write; all but these unless said',
      )
        .argParser(collectScope)
        .default([] as readonly string[], 'all'),
    )
    .addOption(
      new Option(
        '--limit <name=number>',
        'a limit of its own instead of that of the environment: requestsPerMinute, concurrentTasks, queuedTasks, argumentBytes, maxTtlMs, openStreams, schedules',
      )
        .argParser(collectLimit)
        .default({}, 'those of the environment'),
    )
    .addOption(
      new Option('--expires <duration>', 'such as 12h or 30d from now').argParser(durationMs),
    )
    .addOption(new Option('--principal <name>', 'whose tasks it sees').argParser(readable))
    .option('--json', 'print JSON')
    .action(({ name, scope, limit, expires = null, principal = null, json = false }) =>
      keys({
        kind: 'create',
        name,
        scopes: [...new Set(scope)],
        limits: limit,
        expiresInMs: expires,
        principal,
        json,
      }),
    );
  const list = leaf('list', 'all keys, without their secrets', '', [
    'longshore keys list',
    'who may call, and until when',
  ])
    .option('--json', 'print JSON')
    .action(({ json = false }) => keys({ kind: 'list', json }));
  const revoke = leaf('revoke', 'end a key, at once and on all APIs', '', [
    'longshore keys revoke 0198...',
    'it is refused from now on',
  ])
    .argument('<id>', 'see `longshore keys list`')
    .option('--json', 'print JSON')
    .action((id, { json = false }) => keys({ kind: 'revoke', id, json }));
  return new Command('keys')
    .description('who may call under AUTH=api-key')
    .addCommand(create)
    .addCommand(list)
    .addCommand(revoke);
}

function readable(text: string): string {
  if (READABLE.test(text)) return text;
  throw new InvalidArgumentError('It has 1 to 200 characters, none of them a control character.');
}

function collectScope(scope: string, before: readonly string[]): readonly string[] {
  if (isScope(scope)) return collect(scope, before);
  throw new InvalidArgumentError(
    'It is none of tasks:read, tasks:write, tools:NAME, tools:*, prompts:*, resources:*, ops:read, ops:write.',
  );
}

function durationMs(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (ms > 0 && ms <= MAX_MS) return ms;
  throw new InvalidArgumentError('It is no duration such as 12h or 30d.');
}

function collectLimit(text: string, before: Partial<PrincipalLimits>): Partial<PrincipalLimits> {
  const [, name = '', digits = ''] = /^([A-Za-z]+)=(\d{1,12})$/.exec(text) ?? [];
  if (!isLimit(name)) {
    const names = Object.keys(LIMIT_RANGES).join(', ');
    throw new InvalidArgumentError(`It is no NAME=NUMBER with one of ${names}.`);
  }
  const { min, max } = LIMIT_RANGES[name];
  const value = Number(digits);
  if (value >= min && value <= max) return { ...before, [name]: value };
  throw new InvalidArgumentError(`${name} is from ${min} to ${max}.`);
}

function isLimit(name: string): name is keyof PrincipalLimits {
  return Object.hasOwn(LIMIT_RANGES, name);
}
