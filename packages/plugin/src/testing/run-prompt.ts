import type { PromptResult, TypedPrompt } from '../prompt.ts';
import { type Recording, type RunOptions, recordedContext } from './recorded-context.ts';
import { fitting } from './tool-schema-error.ts';

/** A prompt's run that has ended well. */
export interface FinishedPromptRun extends Recording {
  /** As the client gets it: a text has become a message of the user. */
  readonly output: PromptResult;
}

/**
 * Runs a prompt in memory and waits for its end.
 *
 * @throws {ToolSchemaError} the arguments do not fit
 * @throws whatever the prompt throws
 */
export async function runPrompt<Arguments>(
  prompt: TypedPrompt<Arguments>,
  args: Arguments,
  options: RunOptions = {},
): Promise<FinishedPromptRun> {
  const { ctx, recording } = recordedContext(
    options,
    options.signal ?? new AbortController().signal,
  );
  const label = `prompt '${prompt.name}'`;
  const parsed = fitting(label, 'input', () => prompt.parseArguments(args));
  return { ...recording, output: await prompt.run(parsed, ctx) };
}
