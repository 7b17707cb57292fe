import * as z from 'zod';
import {
  checkFunction,
  checkOptions,
  functions,
  milliseconds,
  PluginDefinitionError,
  queueName,
  show,
  text,
} from './checks/definition-checks.ts';
import { UriTemplate, UriTemplateError } from './uri-template.ts';

const Definition = z.strictObject({
  uri: text('a text'),
  uriTemplate: text('a text'),
  name: z
    .string({ error: 'is missing: it is what users know the resource by' })
    .min(1, { error: 'is empty: it is what users know the resource by' }),
  title: text('a text'),
  description: text('a text'),
  mimeType: text('a text'),
  annotations: z
    .strictObject({
      audience: z
        .array(z.enum(['user', 'assistant']), { error: "must be a list of 'user' and 'assistant'" })
        .optional(),
      priority: z.number({ error: 'must be a number from 0 to 1' }).min(0).max(1).optional(),
      lastModified: text('a text'),
    })
    .optional(),
  complete: functions.optional(),
  timeoutMs: milliseconds(),
  queue: queueName,
  read: z.unknown().optional(),
});

/**
 * @returns the template; null when the definition has a URI
 * @throws {PluginDefinitionError} naming the resource, the field and what to write instead
 */
export function checkResourceDefinition(definition: object): UriTemplate | null {
  if (typeof definition !== 'object' || definition === null) {
    throw new PluginDefinitionError(
      'defineResource takes an object: defineResource({ uri, name, read })',
    );
  }
  const { uri, uriTemplate, name } = definition as Readonly<Record<string, unknown>>;
  const label = `resource ${show(uri ?? uriTemplate ?? name)}`;
  if ((uri === undefined) === (uriTemplate === undefined)) {
    throw new PluginDefinitionError(
      `${label}: write either uri, such as 'notes://today', or uriTemplate, such as 'notes://{day}'`,
    );
  }
  checkFunction(label, definition, 'read', 'read({ uri, variables }, ctx)');
  const checked = checkOptions(label, Definition, definition);
  if (checked.uri !== undefined && !URL.canParse(checked.uri)) {
    throw new PluginDefinitionError(`${label}: uri is no absolute URI, such as notes://today`);
  }
  if (checked.uriTemplate === undefined) return null;
  try {
    return new UriTemplate(checked.uriTemplate);
  } catch (cause) {
    if (!(cause instanceof UriTemplateError)) throw cause;
    throw new PluginDefinitionError(`${label}: ${cause.message}`, { cause });
  }
}
