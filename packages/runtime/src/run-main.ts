import { ConfigError } from '@longshore/config';
import { diagnosisOf, LongshoreError } from '@longshore/core';

/**
 * Runs a process's main function and exits with its code. An expected error is one message on standard
 * error and exit code 1, a defect comes with its stack.
 *
 * Not left to the event loop: a tool that ignores its signal, or an IPC channel, would keep it alive.
 *
 * @param program for the message: `longshore worker`
 */
export async function runMain(program: string, main: () => Promise<number>): Promise<never> {
  process.exit(await exitCode(program, main));
}

async function exitCode(program: string, main: () => Promise<number>): Promise<number> {
  try {
    return await main();
  } catch (error) {
    const isExpected = error instanceof ConfigError || error instanceof LongshoreError;
    const text = error instanceof Error && !isExpected ? error.stack : diagnosisOf(error);
    process.stderr.write(`${program}: ${text}\n`);
    return 1;
  }
}

/**
 * The level of what a process says of its own life. Who has started it over IPC hears of it there, and speaks to the
 * user.
 */
export const LIFE_LEVEL: 'debug' | 'info' = process.send === undefined ? 'info' : 'debug';
