import { expect, it } from '@jest/globals';
import { defineTool, ToolError, z } from '@longshore/plugin';
import { runScript } from '@longshore/plugin/process';
import { runTool, startTool } from '@longshore/plugin/testing';

const script = defineTool({
  name: 'script',
  description: 'Runs JavaScript as if it were another language.',
  input: z.object({ code: z.string(), numbers: z.array(z.number()).default([]) }),
  output: z.object({ result: z.json() }),
  run: async ({ code, numbers }, ctx) => ({
    result: await runScript(ctx, process.execPath, ['-e', code], { input: { numbers } }),
  }),
});

const SAY = 'const say = (message) => console.log(JSON.stringify(message));';

it('turns what a script says into what a tool does', async () => {
  const code = `${SAY}
    process.stdin.on('data', (line) => {
      const { numbers } = JSON.parse(line);
      say({ status: 'adding' });
      say({ progress: 1, total: 2, message: 'half' });
      say({ log: 'careful', level: 'warning' });
      console.log('a library that talks');
      say({ result: { sum: numbers.reduce((a, b) => a + b) } });
    });`;
  const run = await runTool(script, { code, numbers: [1, 2, 4] });
  expect(run.output).toEqual({ result: { sum: 7 } });
  expect(run.statusMessages).toEqual(['adding']);
  expect(run.progress).toEqual([{ done: 1, total: 2, message: 'half' }]);
  expect(run.logs).toEqual([
    { level: 'warning', message: 'careful', fields: {} },
    { level: 'info', message: 'a library that talks', fields: {} },
  ]);
});

it('takes null for a result', async () => {
  expect((await runTool(script, { code: `${SAY} say({ result: null })` })).output).toEqual({
    result: null,
  });
});

it.each([
  ['an error', `${SAY} say({ error: 'no such city' })`, new ToolError('no such city')],
  ['no result', '', /ended without a line/],
  ['a crash after its result', `${SAY} say({ result: 1 }); process.exit(1)`, /exit code 1/],
])('fails with %s', async (_what, code, error) => {
  await expect(runTool(script, { code })).rejects.toThrow(error);
});

it('ends a script when its run is stopped', async () => {
  const code = `${SAY} say({ progress: 1 }); setInterval(() => {}, 1000)`;
  const run = startTool(script, { code }, { onProgress: () => run.abort(new Error('cancelled')) });
  await expect(run.output).rejects.toThrow('cancelled');
});
