import type * as z from 'zod';
import { PluginDefinitionError } from './plugin-definition-error.ts';
import { toJsonSchema } from './to-json-schema.ts';

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
export function promptArguments(prompt: string, schema: z.ZodObject): readonly PromptArgument[] {
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
