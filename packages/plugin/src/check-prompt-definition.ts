import * as z from 'zod';
import {
  checkFunction,
  checkOptions,
  definitionName,
  functions,
  milliseconds,
  queueName,
  text,
} from './definition-checks.ts';

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
export function checkPromptDefinition(definition: object): void {
  const sketch = '{ name, arguments, run }';
  const label = `prompt '${definitionName('prompt', 'definePrompt', sketch, definition)}'`;
  checkFunction(label, definition, 'run', 'run(args, ctx)');
  checkOptions(label, Definition, definition);
}
