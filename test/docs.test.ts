import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createProgram, documentedCommands, EXIT_CODES, helpOf } from '@longshore/cli';
import { VARIABLES } from '@longshore/config';
import { ERROR_CATALOGUE, type ErrorCode, LongshoreError } from '@longshore/core';
import { errorToWire } from '@longshore/protocol';

const read = (file: string): string =>
  readFileSync(path.join(import.meta.dirname, '..', file), 'utf8');

describe('README', () => {
  const rows = [
    ...read('README.md').matchAll(/^\| `([A-Z0-9_]+)` \| (unset|`(.*?)`) \| .+? \| (.+) \|$/gm),
  ];

  it('lists every variable, once, with its default and meaning, and no other', () => {
    expect(rows.map((row) => row[1])).toEqual(Object.keys(VARIABLES));
    for (const [, name, , fallback, meaning] of rows) {
      const variable = VARIABLES[name as keyof typeof VARIABLES];
      expect([name, fallback ?? null]).toEqual([name, variable.default]);
      expect(meaning?.replaceAll('\\|', '|')).toBe(variable.meaning);
    }
  });
});

describe('.env.example', () => {
  it('has a line for every variable, and no other', () => {
    const lines = [...read('.env.example').matchAll(/^(# )?([A-Z0-9_]+)=(.*)$/gm)];
    expect(lines.map((line) => [line[2], line[1] === undefined ? line[3] : null])).toEqual(
      Object.entries(VARIABLES).map(([name, variable]) => [name, variable.default]),
    );
  });
});

const unused = (): never => {
  throw new Error('nothing runs here');
};
const UNUSED = {
  serve: unused,
  ask: unused,
  author: unused,
  keys: unused,
  doctor: unused,
  print: unused,
  printError: unused,
};

describe('docs/cli.md', () => {
  it('says of every command what its help says', () => {
    const text = read('docs/cli.md');
    const commands = documentedCommands(createProgram('', UNUSED));
    for (const { name, command } of commands) {
      expect(text).toContain(
        `\n### \`longshore ${name}\`\n\n\`\`\`\n${helpOf(command).trimEnd()}\n`,
      );
    }
    expect(text.match(/^### `longshore /gm)).toHaveLength(commands.length);
  });

  it('has every exit code, and no other', () => {
    const rows = [...read('docs/cli.md').matchAll(/^\| (\d+) \| (.+) \|$/gm)];
    expect(rows.map(([, code, meaning]) => [Number(code), meaning])).toEqual(EXIT_CODES);
  });
});

const perEra = (legacy: number, modern: number): string =>
  legacy === modern ? String(legacy) : `${legacy}, modern ${modern}`;

describe('docs/errors.md', () => {
  it('has a row for every code as it goes over the wire, and no other', () => {
    const rows = [
      ...read('docs/errors.md').matchAll(
        /^\| `([A-Z_]+)` \| ([^|]+) \| ([^|]+) \| (yes|no) \| (.+) \|$/gm,
      ),
    ];
    expect(rows.map((row) => row.slice(1))).toEqual(
      Object.entries(ERROR_CATALOGUE).map(([code, { retryable, summary }]) => {
        const error = new LongshoreError(code as ErrorCode, '');
        const [legacy, modern] = [errorToWire(error, 'legacy'), errorToWire(error, 'modern')];
        return [
          code,
          perEra(legacy.code, modern.code),
          perEra(legacy.httpStatus, modern.httpStatus),
          retryable ? 'yes' : 'no',
          summary,
        ];
      }),
    );
  });
});
