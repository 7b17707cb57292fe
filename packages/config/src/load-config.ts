import { readFileSync } from 'node:fs';
import type * as z from 'zod';
import { ConfigError } from './config-error.ts';
import type { Variable } from './variable.ts';
import { VARIABLES, type VariableName } from './variables.ts';

type Value<V> = V extends Variable<infer Schema> ? z.output<Schema> : never;

/** The parsed environment, by variable name. Null where an unset variable has a meaning of its own. */
export type Config = {
  readonly [Name in VariableName]: (typeof VARIABLES)[Name]['default'] extends null
    ? Value<(typeof VARIABLES)[Name]> | null
    : Value<(typeof VARIABLES)[Name]>;
};

/** These may be in a file, as secrets are mounted: DATABASE_URL_FILE names the one with DATABASE_URL. */
const IN_FILES: ReadonlySet<string> = new Set([
  ...['DATABASE_URL', 'REDIS_URL', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'METRICS_TOKEN'],
  'OAUTH_CLIENT_SECRET',
]);

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;

/**
 * Parses the environment. An empty variable counts as unset; a set one comes before its file.
 *
 * @throws {ConfigError} naming every wrong variable, not just the first
 */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries<Variable>(VARIABLES)) {
    const given = textOf(name, environment);
    if (given instanceof Error) {
      problems.push(given.message);
      continue;
    }
    const text = given ?? variable.default;
    if (text === null) {
      config[name] = null;
      continue;
    }
    const parsed = variable.schema.safeParse(text);
    if (parsed.success) config[name] = parsed.data;
    else problems.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  const result = config as Config;
  if (problems.length === 0) problems.push(...contradictions(result));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(result);
}

/** @returns null when it is unset; an error when its file can not be read */
function textOf(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | Error | null {
  const text = environment[name];
  if (text !== undefined && text !== '') return text;
  const file = IN_FILES.has(name) ? environment[`${name}_FILE`] : undefined;
  if (file === undefined || file === '') return null;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    const reason =
      typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : cause;
    return new Error(`${name}_FILE: ${file} can not be read (${reason})`, { cause });
  }
}

function contradictions(config: Config): string[] {
  const problems: string[] = [];
  if (config.AUTH === 'none' && !LOOPBACK.test(config.HOST) && !config.PUBLISHED_ON_LOOPBACK) {
    problems.push(
      `HOST: AUTH=none serves loopback only, not ${config.HOST}; keep HOST=127.0.0.1, set AUTH=api-key or AUTH=oauth, or set PUBLISHED_ON_LOOPBACK=true when the port is reached through loopback only`,
    );
  }
  if (
    config.METRICS_PORT !== null &&
    config.METRICS_TOKEN === null &&
    !LOOPBACK.test(config.METRICS_HOST)
  ) {
    problems.push(
      `METRICS_HOST: without METRICS_TOKEN a worker tells its metrics on loopback only, not on ${config.METRICS_HOST}`,
    );
  }
  if (config.AUTH === 'oauth') problems.push(...oauthProblems(config));
  if (config.FILE_STORE === 's3') problems.push(...s3Problems(config));
  if (config.RESULT_INLINE_BYTES > config.MAX_RESULT_BYTES) {
    problems.push(
      `RESULT_INLINE_BYTES: ${config.RESULT_INLINE_BYTES} is over MAX_RESULT_BYTES (${config.MAX_RESULT_BYTES})`,
    );
  }
  if (config.DEFAULT_TTL_MS > config.MAX_TTL_MS) {
    problems.push(
      `DEFAULT_TTL_MS: ${config.DEFAULT_TTL_MS} is over MAX_TTL_MS (${config.MAX_TTL_MS})`,
    );
  }
  return problems;
}

function s3Problems(config: Config): string[] {
  const needed = ['S3_BUCKET', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;
  return needed
    .filter((name) => config[name] === null)
    .map((name) => `${name}: FILE_STORE=s3 needs it`);
}

function oauthProblems({ OAUTH_ISSUER: issuer, PUBLIC_URL: publicUrl }: Config): string[] {
  const problems: string[] = [];
  if (publicUrl === null) {
    problems.push(
      'PUBLIC_URL: AUTH=oauth needs it, for tokens are for one resource: PUBLIC_URL/mcp',
    );
  }
  if (issuer === null) {
    problems.push('OAUTH_ISSUER: AUTH=oauth needs the authorization server whose tokens count');
  } else if (issuer.startsWith('http:') && !LOOPBACK.test(new URL(issuer).hostname)) {
    problems.push(
      'OAUTH_ISSUER: must be an https:// URL, for whoever changes its keys can be anybody',
    );
  }
  return problems;
}
