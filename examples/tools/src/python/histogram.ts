import path from 'node:path';
import { defineTool, z } from '@longshore/plugin';
import { runScript } from '@longshore/plugin/process';

const SCRIPT = path.join(import.meta.dirname, '..', '..', 'scripts', 'histogram.py');
const PYTHON = process.env['PYTHON'] ?? (process.platform === 'win32' ? 'python' : 'python3');

const Histogram = z.object({ counts: z.array(z.int()), mean: z.number() });

export const histogram = defineTool({
  name: 'histogram',
  description: 'Counts numbers from 0 to 1 by tenths, in Python.',
  input: z.object({ numbers: z.array(z.number().min(0).lt(1)).max(1_000_000) }),
  output: Histogram,
  task: { timeoutMs: 120_000 },
  async run({ numbers }, ctx) {
    return Histogram.parse(await runScript(ctx, PYTHON, ['-u', SCRIPT], { input: { numbers } }));
  },
});
