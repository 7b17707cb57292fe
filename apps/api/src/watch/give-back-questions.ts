import type { InputStore, Logger } from '@longshore/core';

/**
 * Gives back the questions of a stream that has ended, for the next one to ask. Never throws: when the
 * database is away the lease runs out by itself.
 */
export async function giveBackQuestions(
  store: Pick<InputStore, 'unlease'>,
  stream: string,
  log: Logger,
): Promise<void> {
  try {
    await store.unlease(stream);
  } catch (error) {
    log.warn({ err: error }, 'questions of an ended stream are left to their lease');
  }
}
