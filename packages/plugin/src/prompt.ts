import * as z from 'zod';
import {
  checkFunction,
  checkOptions,
  definitionName,
  functions,
  milliseconds,
  PluginDefinitionError,
  queueName,
  text,
} from './checks/definition-checks.ts';
import {
  type Complete,
  type Completion,
  type CompletionContext,
  checkCompletions,
  runCompletion,
} from './completion.ts';
import { type RequestOptions, type RequestPolicy, requestPolicy } from './request-policy.ts';
import { toJsonSchema } from './to-json-schema.ts';
import type { ToolContext } from './tool-context.ts';
import type { ContentBlock } from './values/content.ts';
import { ContentBlockSchema } from './values/content-schema.ts';
import type { MaybePromise } from './values/maybe-promise.ts';

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock;
}

/** Messages for the client's conversation (2025-11-25 server/prompts). */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

/** What an author hands to `definePrompt`. */
export interface PromptDefinition<Arguments extends z.ZodObject> extends RequestOptions {
  /** 1 to 128 characters of `[A-Za-z0-9_.-]`, unique among all prompts of the server. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** A zod object whose members take texts: z.string(), z.enum, z.stringbool, a text with a transform. */
  readonly arguments?: Arguments;
  /** Suggestions for arguments, by name. */
  readonly complete?: { readonly [Name in keyof z.input<Arguments>]?: Complete };
  /** @returns a text, which becomes one message of the user, or messages */
  run(args: z.output<Arguments>, ctx: ToolContext): MaybePromise<string | PromptResult>;
}

/** A checked prompt, its types forgotten and its defaults filled in: what a worker runs. */
export interface Prompt {
  /** How a worker knows a prompt among a module's exports, whichever copy of this package made it. */
  readonly longshorePrompt: 1;
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly arguments: readonly PromptArgument[];
  /** Names of the arguments that offer completions. */
  readonly completes: readonly string[];
  readonly policy: RequestPolicy;
  /** @throws {z.ZodError} when the arguments do not fit */
  parseArguments(value: unknown): unknown;
  /**
   * @param args what `parseArguments` returned
   * @throws {z.ZodError} what the author returned is no result of a prompt
   */
  run(args: unknown, ctx: ToolContext): Promise<PromptResult>;
  complete(argument: string, value: string, ctx: CompletionContext): Promise<Completion>;
}

/** A prompt that still knows its types at compile time, for the test kit. */
export interface TypedPrompt<Arguments> extends Prompt {
  readonly '~types'?: { readonly arguments: Arguments };
}

const Result = z.union(
  [
    z.string().transform((text) => ({
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
    })),
    z.looseObject({
      description: z.string().optional(),
      messages: z.array(
        z.looseObject({ role: z.enum(['user', 'assistant']), content: ContentBlockSchema }),
      ),
    }),
  ],
  { error: 'a prompt returns a text or { messages: [{ role, content }] }' },
);

/**
 * Defines a prompt: a template that users choose by name, and that becomes messages of a conversation.
 *
 * @throws {PluginDefinitionError} wrong name, arguments that are no texts, unknown options
 */
export function definePrompt<Arguments extends z.ZodObject = z.ZodObject<Record<never, never>>>(
  definition: PromptDefinition<Arguments>,
): TypedPrompt<z.input<Arguments>> {
  checkPromptDefinition(definition);
  const { name, title = null, description = null, complete = {} } = definition;
  const schema: z.ZodObject = definition.arguments ?? z.object({});
  const announced = promptArguments(name, schema);
  const completes = Object.keys(complete);
  checkCompletions(
    `prompt '${name}'`,
    completes,
    announced.map((argument) => argument.name),
  );
  return {
    longshorePrompt: 1,
    name,
    title,
    description,
    arguments: announced,
    completes,
    policy: requestPolicy(definition),
    parseArguments: (value) => schema.parse(value),
    run: async (args, ctx) => {
      // The caller hands in what parseArguments returned.
      const returned = await definition.run(args as z.output<Arguments>, ctx);
      return Result.parse(returned) as PromptResult;
    },
    complete: (argument, value, ctx) => runCompletion(complete, argument, value, ctx),
  };
}

/** True for what `definePrompt` returned, also from another copy of this package. */
export function isPrompt(value: unknown): value is Prompt {
  return (
    typeof value === 'object' &&
    value !== null &&
    'longshorePrompt' in value &&
    value.longshorePrompt === 1
  );
}

const Definition = z.strictObject({
  name: z.string(),
  title: text('a text'),
  description: text('a text'),
  arguments: z.unknown().optional(),
  complete: functions.optional(),
  timeoutMs: milliseconds(),
  queue: queueName,
  run: z.unknown().optional(),
});

/** @throws {PluginDefinitionError} naming the prompt, the field and what to write instead */
function checkPromptDefinition(definition: object): void {
  const sketch = '{ name, arguments, run }';
  const label = `prompt '${definitionName('prompt', 'definePrompt', sketch, definition)}'`;
  checkFunction(label, definition, 'run', 'run(args, ctx)');
  checkOptions(label, Definition, definition);
}

export interface PromptArgument {
  readonly name: string;
  readonly description: string | null;
  readonly required: boolean;
}

/**
 * The arguments of a prompt as clients see them. MCP has texts only, so every member must take a text.
 *
 * @throws {PluginDefinitionError}
 */
function promptArguments(prompt: string, schema: z.ZodObject): readonly PromptArgument[] {
  const json = toJsonSchema(`prompt '${prompt}'`, 'arguments', schema, 'input');
  const required: unknown = json['required'];
  const properties: unknown = json['properties'];
  return Object.entries(properties ?? {}).map(([name, member]) => {
    if (!takesText(member)) {
      throw new PluginDefinitionError(
        `prompt '${prompt}': argument '${name}' takes no text, and MCP has no others: write z.string(), z.enum or z.string().transform(...)`,
      );
    }
    const { description } = member;
    return {
      name,
      description: typeof description === 'string' ? description : null,
      required: Array.isArray(required) && required.includes(name),
    };
  });
}

function takesText(member: unknown): member is { readonly [keyword: string]: unknown } {
  if (typeof member !== 'object' || member === null) return false;
  if ('anyOf' in member && Array.isArray(member.anyOf)) return member.anyOf.every(takesText);
  return 'type' in member && member.type === 'string';
}
