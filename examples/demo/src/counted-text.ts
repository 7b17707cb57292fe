import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { definePlugin, type Plugin, type Tool, z } from '@longshore/plugin';
import { plugin as text } from '@longshore/plugin-text';
import { RUNS_FILE, type RunMark } from './runs.ts';

const Args = z.looseObject({ path: z.string() });

/**
 * The bundled text tools as they are, but that each run of `text_count` is written down when it begins and
 * when it ends, also by workers that are killed: so the demo can count what ran, and what ran twice.
 */
export const plugin: Plugin = definePlugin({
  name: 'text tools of the demo',
  tools: (host) => {
    const file = path.join(host.dataDir, RUNS_FILE);
    return (text.tools?.(host) ?? []).map((tool) =>
      tool.name === 'text_count' ? writtenDown(tool, file) : tool,
    );
  },
});

function writtenDown(tool: Tool, file: string): Tool {
  return {
    ...tool,
    run: async (input, ctx) => {
      const mark = (event: RunMark['event']): void => {
        const { path: item } = Args.parse(input);
        const written: RunMark = {
          pid: process.pid,
          chunk: ctx.taskId,
          item,
          event,
          atMs: performance.now(),
        };
        appendFileSync(file, `${JSON.stringify(written)}\n`);
      };
      mark('begin');
      const result = await tool.run(input, ctx);
      mark('end');
      return result;
    },
  };
}
