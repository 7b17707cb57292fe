import type { ApiKey } from '@longshore/core';

/** A key for programs. Instants in ISO 8601. */
export function toJson(key: ApiKey) {
  const { authBindingId: _inner, ...shown } = key;
  return { ...shown, status: statusOf(key) };
}

/** One key for people. */
export function describeKey(key: ApiKey): string {
  return [
    ['id', key.id],
    ['name', key.name],
    ['principal', key.principal],
    ['scopes', key.scopes.join(' ')],
    ['limits', describeLimits(key)],
    ['expires', instant(key.expiresAt, 'never')],
  ]
    .map(([label = '', value = '']) => `${label.padEnd(10)} ${value}`)
    .join('\n');
}

/** All keys for people, a line each. */
export function describeKeys(keys: readonly ApiKey[]): string {
  if (keys.length === 0) return 'there are no keys';
  const rows = [
    ['ID', 'KEY', 'STATUS', 'EXPIRES', 'LAST USED', 'NAME', 'PRINCIPAL', 'LIMITS', 'SCOPES'],
    ...keys.map((key) => [
      key.id,
      `${key.prefix}...`,
      statusOf(key),
      instant(key.expiresAt, 'never'),
      instant(key.lastUsedAt, 'never'),
      key.name,
      key.principal,
      describeLimits(key),
      key.scopes.join(' '),
    ]),
  ];
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

function describeLimits({ limits }: ApiKey): string {
  const own = Object.entries(limits).map(([name, value]) => `${name}=${value}`);
  return own.length === 0 ? 'configured' : own.join(' ');
}

/** By this machine's clock: what counts is the database's. */
function statusOf({ revokedAt, expiresAt }: ApiKey): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? 'expired' : 'active';
}

function instant(at: Date | null, otherwise: string): string {
  return at === null ? otherwise : at.toISOString();
}
