import { defineTool, type Tool, z } from '@longshore/plugin';
import { pause } from './pause.ts';

/** The suite's pause between two messages, in milliseconds. */
const BETWEEN_LOGS_MS = 50;

/** More than a tenth of a second, which is how often progress is reported at most. */
const BETWEEN_STEPS_MS = 150;

/**
 * Longer than the server of the conformance run keeps a stream open (STREAM_MAX_MS, a second), and shorter
 * than two: the suite comes back once.
 */
const OVER_A_STREAM_MS = 1_500;

/** Tools that say something while they run, or take longer than a stream lives. */
export const reportingTools: readonly Tool[] = [
  defineTool({
    name: 'test_tool_with_logging',
    description: 'Logs three messages while it runs.',
    input: z.object({}),
    run: async (_input, { log, signal }) => {
      log.info('Tool execution started');
      await pause(BETWEEN_LOGS_MS, signal);
      log.info('Tool processing data');
      await pause(BETWEEN_LOGS_MS, signal);
      log.info('Tool execution completed');
      return 'Tool with logging executed successfully';
    },
  }),
  defineTool({
    name: 'test_logging_tool',
    description: 'Logs a message of each level that is often used.',
    input: z.object({}),
    run: (_input, { log }) => {
      log.debug('A debug message');
      log.info('An info message');
      log.warning('A warning');
      log.error('An error message');
      return 'Logged';
    },
  }),
  defineTool({
    name: 'test_tool_with_progress',
    description: 'Reports its progress at the beginning, in the middle and at the end.',
    input: z.object({}),
    run: async (_input, ctx) => {
      ctx.progress(0, 100);
      await pause(BETWEEN_STEPS_MS, ctx.signal);
      ctx.progress(50, 100);
      await pause(BETWEEN_STEPS_MS, ctx.signal);
      ctx.progress(100, 100);
      return 'Tool with progress executed successfully';
    },
  }),
  defineTool({
    name: 'test_reconnection',
    description:
      'Runs longer than its stream stays open, so that the client has to come back for the result.',
    input: z.object({}),
    run: async (_input, { signal }) => {
      await pause(OVER_A_STREAM_MS, signal);
      return 'Reconnection test completed successfully.';
    },
  }),
];
