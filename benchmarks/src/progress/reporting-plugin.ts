import { setInterval, setTimeout } from 'node:timers/promises';
import { defineTool, z } from '@longshore/plugin';

/** Reports until it is stopped; the message is the time of the report, by the clock that all processes share. */
export const reporting = defineTool({
  name: 'reporting',
  description: 'Reports progress until it is stopped.',
  input: z.object({ everyMs: z.number() }),
  async run({ everyMs }, { progress, signal }) {
    let reports = 0;
    // Tools that start together do not report together.
    await setTimeout(everyMs * Math.random(), null, { signal });
    for await (const _ of setInterval(everyMs, null, { signal })) {
      reports += 1;
      progress(reports, undefined, `at ${process.hrtime.bigint()};`);
    }
    return 'stopped';
  },
});
