import { connect } from 'node:net';
import { defineTool, z } from '@longshore/plugin';

/** Where the benchmark listens; a line for each thing that happens, with the time that all processes share. */
const sink = connect(Number(process.env['BENCH_PORT']), '127.0.0.1').setNoDelay(true);
const tell = (what: string, key: number): void => {
  sink.write(`${what} ${key} ${process.hrtime.bigint()}\n`);
};

/** Waits until it is stopped. */
export const waiting = defineTool({
  name: 'waiting',
  description: 'Waits until it is stopped.',
  input: z.object({ key: z.int() }),
  async run({ key }, { signal }) {
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        tell('stopped', key);
        resolve();
      });
    });
    tell('started', key);
    await stopped;
    return 'stopped';
  },
});
