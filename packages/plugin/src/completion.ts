import * as z from 'zod';
import { PluginDefinitionError } from './checks/definition-checks.ts';

/** What a completion may look at. */
export interface CompletionContext {
  /** Fires on cancellation and time-out. Pass it on. */
  readonly signal: AbortSignal;
  /** Id of whoever asks. */
  readonly principal: string;
  /** The other arguments, as far as the user has filled them in. */
  readonly arguments: Readonly<Record<string, string>>;
}

/**
 * Suggests values for an argument that the user has begun to type, best first. The first 100 reach the
 * client.
 *
 * @param value what is typed so far
 */
export type Complete = (
  value: string,
  ctx: CompletionContext,
) => readonly string[] | Promise<readonly string[]>;

/** Suggestions as the protocol has them (2025-11-25 server/utilities/completion). */
export interface Completion {
  readonly values: readonly string[];
  readonly total: number;
  readonly hasMore: boolean;
}

/** The protocol's limit. */
const MAX_VALUES = 100;

const Suggestions = z.array(z.string(), {
  error: 'the completion must return an array of texts',
});

/** Runs the completion of an argument; an argument without one has no suggestions. */
export async function runCompletion(
  completions: Readonly<Record<string, Complete | undefined>>,
  argument: string,
  value: string,
  ctx: CompletionContext,
): Promise<Completion> {
  const complete = Object.hasOwn(completions, argument) ? completions[argument] : undefined;
  const found = complete === undefined ? [] : Suggestions.parse(await complete(value, ctx));
  return {
    values: found.slice(0, MAX_VALUES),
    total: found.length,
    hasMore: found.length > MAX_VALUES,
  };
}

/** @throws {PluginDefinitionError} a completion of an argument that is not there */
export function checkCompletions(
  label: string,
  completes: readonly string[],
  names: readonly string[],
): void {
  const stranger = completes.find((name) => !names.includes(name));
  if (stranger === undefined) return;
  throw new PluginDefinitionError(
    `${label}: complete.${stranger} is of no argument (there are: ${names.join(', ') || 'none'})`,
  );
}
