// Writes what follows from the sources: the table of variables in docs/configuration.md, .env.example, the variables in
// docker-compose.yml, docs/errors.md and parts of docs/cli.md. `--check` writes nothing and fails when something is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createProgram, documentedCommands, EXIT_CODES, helpOf } from '@longshore/cli';
import { VARIABLES } from '@longshore/config';
import { ERROR_CATALOGUE, LongshoreError } from '@longshore/core';
import { errorToWire } from '@longshore/protocol';

const root = path.join(import.meta.dirname, '..');
const check = process.argv.includes('--check');
const cell = (text) => text.replaceAll('|', '\\|');
const perEra = (legacy, modern) => (legacy === modern ? legacy : `${legacy}, modern ${modern}`);

const variableTable = [
  '| variable | default | unit | meaning |',
  '| --- | --- | --- | --- |',
  ...Object.entries(VARIABLES).map(
    ([name, { default: fallback, unit, meaning }]) =>
      `| \`${name}\` | ${fallback === null ? 'unset' : `\`${cell(fallback)}\``} | ${cell(unit)} | ${cell(meaning)} |`,
  ),
].join('\n');

const environment = [
  '# Every variable Longshore reads, with its default. Copy to .env and change what you need; docker compose reads it, and',
  '#   node --env-file=.env apps/api/dist/main.js',
  '# docs: docs/configuration.md. Written by `npm run docs`.',
  ...Object.entries(VARIABLES).flatMap(([name, { default: fallback, unit, meaning }]) => [
    '',
    `# ${meaning} (${unit})`,
    `${fallback === null ? '# ' : ''}${name}=${fallback ?? ''}`,
  ]),
  '',
].join('\n');

const errors = [
  '# Errors',
  '',
  'Every error has a stable code. Clients find it in `error.data.code`, beside `retryable: true` where the same',
  'request may succeed later without any change. Only the `RESOURCE_NOT_FOUND` of the modern era has none: clients know',
  'it by `data` that is the URI alone. Where the database, the queue or the store of files failed, they read the meaning',
  'below and "Try again"; statement, host and reason are in the log. Written by `npm run docs` from',
  '`packages/core/src/errors.ts` and `packages/protocol/src/shared/error-to-wire.ts`.',
  '',
  '| code | JSON-RPC | HTTP | retryable | meaning |',
  '| --- | --- | --- | --- | --- |',
  ...Object.entries(ERROR_CATALOGUE).map(([code, { retryable, summary }]) => {
    const error = new LongshoreError(code, '');
    const [legacy, modern] = [errorToWire(error, 'legacy'), errorToWire(error, 'modern')];
    const rpc = perEra(legacy.code, modern.code);
    const http = perEra(legacy.httpStatus, modern.httpStatus);
    return `| \`${code}\` | ${rpc} | ${http} | ${retryable ? 'yes' : 'no'} | ${cell(summary)} |`;
  }),
  '',
].join('\n');

const configurationFile = path.join(root, 'docs/configuration.md');
const configuration = readFileSync(configurationFile, 'utf8').replace(
  /(<!-- variables -->\n)[\s\S]*?(<!-- \/variables -->)/,
  (_all, open, close) => `${open}${variableTable}\n${close}`,
);

const composeFile = path.join(root, 'docker-compose.yml');
const compose = readFileSync(composeFile, 'utf8').replace(
  /(\nx-variables: &variables\n)(?: {2}[A-Z0-9_]+:\n)*/,
  (_all, open) => [open, ...Object.keys(VARIABLES).map((name) => `  ${name}:\n`)].join(''),
);

const commands = [
  // Nothing is run, so nothing has to handle it.
  ...documentedCommands(createProgram('', {})).flatMap(({ name, command }) => [
    `### \`longshore ${name}\``,
    '',
    '```',
    helpOf(command).trimEnd(),
    '```',
    '',
  ]),
].join('\n');
const exitCodes = [
  '| code | meaning |',
  '| --- | --- |',
  ...EXIT_CODES.map(([code, meaning]) => `| ${code} | ${cell(meaning)} |`),
].join('\n');
const cliFile = path.join(root, 'docs/cli.md');
const cli = readFileSync(cliFile, 'utf8')
  .replace(/(<!-- exit codes -->\n)[\s\S]*?(<!-- \/exit codes -->)/, (_all, open, close) =>
    [open, exitCodes, '\n', close].join(''),
  )
  .replace(/(<!-- commands -->\n)[\s\S]*?(<!-- \/commands -->)/, (_all, open, close) =>
    [open, commands, close].join(''),
  );

const stale = [];
for (const [file, text] of [
  [configurationFile, configuration],
  [path.join(root, '.env.example'), environment],
  [composeFile, compose],
  [path.join(root, 'docs/errors.md'), errors],
  [cliFile, cli],
]) {
  let current = '';
  try {
    current = readFileSync(file, 'utf8');
  } catch {
    // Not written yet.
  }
  if (current === text) continue;
  if (check) stale.push(path.relative(root, file));
  else writeFileSync(file, text);
}
if (stale.length > 0) {
  process.stderr.write(`out of date, run "npm run docs": ${stale.join(', ')}\n`);
  process.exit(1);
}
