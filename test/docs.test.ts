import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createProgram, documentedCommands, EXIT_CODES, helpOf } from '@longshore/cli';
import { VARIABLES } from '@longshore/config';
import { ERROR_CATALOGUE, type ErrorCode, LongshoreError } from '@longshore/core';
import { errorToWire } from '@longshore/protocol';

const ROOT = path.join(import.meta.dirname, '..');

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** Every document, by its path from the root. */
const documents = readdirSync(ROOT, { withFileTypes: true })
  .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
  .flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(path.join(ROOT, entry.name), { recursive: true, encoding: 'utf8' }).map(
          (name) => path.join(entry.name, name),
        )
      : [entry.name],
  )
  .filter((file) => file.endsWith('.md') && !/(^|[/\\])(node_modules|dist)[/\\]/.test(file));

/** Names that links have for the headings of a document, as GitHub makes them. */
const anchorsOf = (text: string): string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** @returns what a document links to that is not there */
function brokenLinksOf(file: string): string[] {
  const text = read(file);
  const links = [...text.matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    const [target = '', anchor] = link.split('#');
    const found = target === '' ? file : path.join(path.dirname(file), target);
    if (!existsSync(path.join(ROOT, found))) return true;
    return anchor !== undefined && !anchorsOf(read(found)).includes(anchor);
  });
}

describe('the documents', () => {
  it('link to what is there', () => {
    expect(documents).toContain(path.join('docs', 'decisions', '0001-every-call-is-a-row.md'));
    const broken = documents.map((file) => [file, brokenLinksOf(file)] as const);
    expect(broken.filter(([, links]) => links.length > 0)).toEqual([]);
  });

  it('can all be reached from README', () => {
    const reached = new Set<string>();
    const follow = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const [, target = ''] of read(file).matchAll(/\]\((?![a-z]+:)([^)#\s]+\.md)/g))
        follow(path.join(path.dirname(file), target));
    };
    follow('README.md');
    const folders = ['docs', path.join('docs', 'operate')];
    const pages = documents.filter((file) => folders.includes(path.dirname(file)));
    expect(pages.filter((file) => !reached.has(file))).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  const rows = [
    ...read('docs/configuration.md').matchAll(
      /^\| `([A-Z0-9_]+)` \| (unset|`(.*?)`) \| .+? \| (.+) \|$/gm,
    ),
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

describe('ARCHITECTURE.md', () => {
  it('shows the states of a task as packages/core draws them', () => {
    const [picture = ''] = /```mermaid\n.*?```/s.exec(read('packages/core/task-states.md')) ?? [];
    expect(picture).toContain('waiting --> admitted: admit');
    expect(read('ARCHITECTURE.md')).toContain(picture);
  });
});

describe('docs/operate/troubleshooting.md', () => {
  const sources = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder)).flatMap((name) => {
      const src = path.join(folder, name, 'src');
      if (!existsSync(path.join(ROOT, src))) return [];
      return readdirSync(path.join(ROOT, src), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
        .map((file) => read(path.join(src, file)));
    }),
  );
  const messages = [...read('docs/operate/troubleshooting.md').matchAll(/^\| `(.+?)` \|/gm)].map(
    ([, message = '']) => message,
  );
  /** What differs is an expression in the source. */
  const pattern = (message: string): RegExp =>
    new RegExp(
      message
        .split('…')
        .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('\\$\\{.{1,120}\\}'),
    );

  it('quotes only what is written', () => {
    expect(messages.length).toBeGreaterThan(30);
    const unwritten = messages.filter(
      (message) => !sources.some((source) => pattern(message).test(source)),
    );
    expect(unwritten).toEqual([]);
  });
});

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
