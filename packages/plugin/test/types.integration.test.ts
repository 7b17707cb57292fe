import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');

/** Mistakes the compiler must find, by the line it must point at. Every line but these is right. */
const SOURCE = `import { defineMiddleware, definePrompt, defineResource, defineTool, z } from '@longshore/plugin';
import { runTool } from '@longshore/plugin/testing';
const base = { description: 'x', input: z.object({ n: z.int() }), output: z.object({ done: z.int() }) };
export const right = defineTool({ ...base, name: 'right', run: ({ n }) => ({ done: n }) });
export const a = defineTool({ ...base, name: 'a', run: ({ n }) => ({ finished: n }) }); // wrong
export const b = defineTool({ ...base, name: 'b', run: ({ n }) => ({ done: String(n) }) }); // wrong
export const c = defineTool({ ...base, name: 'c', run: async () => 'text' }); // wrong
export const d = defineTool({ ...base, name: 'd', run: ({ m }) => ({ done: m }) }); // wrong
export const e = defineTool({ name: 'e', description: 'x', input: z.object({}), run: () => ({ done: 1 }) }); // wrong
export const f = defineTool({ ...base, name: 'f', run: () => undefined }); // wrong
export const g = defineTool({ ...base, name: 'g', run: () => ({ done: 1 }), task: { timeout: 5 } }); // wrong
export const h = defineTool({ ...base, name: 'h', run: (_, ctx) => ({ done: ctx.attmept }) }); // wrong
const kind = { ...base, output: z.object({ kind: z.literal(['a', 'b']), rows: z.array(z.array(z.unknown())).optional() }) };
export const k1 = defineTool({ ...kind, name: 'k1', run: () => ({ kind: 'a' }) });
export const k2 = defineTool({ ...kind, name: 'k2', run: async ({ n }) => ({ kind: n > 1 ? 'a' : 'b', rows: [[n, 'x']] }) });
export const k3 = defineTool({ ...kind, name: 'k3', run: ({ n }) => ({ kind: n > 1 ? 'a' : 'c' }) }); // wrong
export const ok = runTool(right, { n: 1 });
export const i = runTool(right, { n: 'one' }); // wrong
export const j = runTool(right, {}); // wrong
const args = z.object({ a: z.string() });
export const p1 = definePrompt({ name: 'p1', arguments: args, complete: { a: () => [] }, run: ({ a }) => a });
export const p2 = definePrompt({ name: 'p2', arguments: args, run: ({ b }) => b }); // wrong
export const p3 = definePrompt({ name: 'p3', arguments: args, complete: { b: () => [] }, run: () => '' }); // wrong
export const p4 = definePrompt({ name: 'p4', run: () => 7 }); // wrong
export const r1 = defineResource({ uri: 'a://b', name: 'r1', read: ({ uri }) => ({ text: uri }) });
export const r2 = defineResource({ uriTemplate: 'a://{b}', name: 'r2', read: ({ variables }) => variables.b });
export const r3 = defineResource({ uriTemplate: 'a://{b}', name: 'r3', read: ({ variables }) => variables.c }); // wrong
export const r4 = defineResource({ uri: 'a://b', uriTemplate: 'a://{b}', name: 'r4', read: () => '' }); // wrong
export const m1 = defineTool({ name: 'm1', description: 'x', input: args, middleware: [async ({ input, ctx }, next) => { ctx.log.info(input.a); return next(); }], run: () => '' });
export const m2 = defineTool({ name: 'm2', description: 'x', input: args, middleware: [({ input }, next) => (input.b ? next() : '')], run: () => '' }); // wrong
export const m3 = defineMiddleware(({ input }, next) => (input === 1 ? next() : ''), async (_call, next) => next());
export const m4 = defineMiddleware((call) => call.input.a); // wrong
export const q1 = defineTool({ name: 'q1', description: 'x', input: args, run: async (_, ctx) => { const r = await ctx.elicit(args, 'x'); return r.action === 'accept' ? r.content.a : r.action; } });
export const q2 = defineTool({ name: 'q2', description: 'x', input: args, run: async (_, ctx) => { const r = await ctx.elicit(args, 'x'); return r.content.a; } }); // wrong
`;

let directory: string;

beforeAll(async () => {
  await mkdir(join(root, '.cache'), { recursive: true });
  directory = await mkdtemp(join(root, '.cache/plugin-types-'));
  await writeFile(join(directory, 'tools.ts'), SOURCE);
  await writeFile(
    join(directory, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: {
        composite: false,
        incremental: false,
        declaration: false,
        declarationMap: false,
        noEmit: true,
        rewriteRelativeImportExtensions: false,
        allowImportingTsExtensions: true,
        typeRoots: [join(root, 'node_modules/@types')],
      },
      include: ['tools.ts'],
    }),
  );
});

afterAll(() => rm(directory, { recursive: true, force: true }));

it('does not compile a tool whose run breaks its own schemas', async () => {
  const output = await new Promise<string>((resolve) => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    execFile(process.execPath, [tsc, '-p', directory, '--pretty', 'false'], (_error, stdout) =>
      resolve(stdout),
    );
  });
  const found = [...output.matchAll(/^.*tools\.ts\((\d+),/gm)].map(([, line]) => Number(line));
  const wrong = SOURCE.split('\n').flatMap((line, index) =>
    line.endsWith('// wrong') ? [index + 1] : [],
  );
  expect({ output, lines: [...new Set(found)] }).toEqual({ output, lines: wrong });
});
