import * as z from 'zod';
import { isItem } from './batch/define-item.ts';
import {
  atLeastOne,
  checkFunction,
  checkOptions,
  definitionName,
  flag,
  milliseconds,
  PluginDefinitionError,
  queueName,
  show,
  text,
} from './checks/definition-checks.ts';
import { checkMiddleware } from './middleware.ts';
import { toolCost } from './tool-cost.ts';
import { toolRate } from './tool-rate.ts';
import { toolUi } from './tool-ui.ts';

/** Everything an author may say beside `run` and the schemas, which have checks of their own. */
const Definition = z.strictObject({
  name: z.string(),
  title: text('a text'),
  description: z.string({ error: 'is missing: say what the tool does, models choose by it' }),
  input: z.unknown().optional(),
  inputJsonSchema: z
    .looseObject({ type: z.literal('object') }, { error: "must be a JSON Schema of type 'object'" })
    .optional(),
  output: z.unknown().optional(),
  run: z.unknown().optional(),
  version: z
    .string({ error: 'must be a text' })
    .min(1, { error: "must be a text such as '2.1.0'" })
    .max(64, { error: 'must be at most 64 characters' })
    .optional(),
  deprecated: z
    .string({ error: 'must be a text: what to use instead' })
    .trim()
    .min(1, { error: 'must be a text: what to use instead' })
    .optional(),
  middleware: z.unknown().optional(),
  ui: toolUi,
  requires: z
    .array(z.enum(['elicitation', 'sampling', 'roots']), {
      error: "must be a list of 'elicitation', 'sampling' and 'roots'",
    })
    .optional(),
  items: z
    .array(z.custom((value) => isItem(value), { error: 'must be made by defineItem' }))
    .refine(
      (items) =>
        new Set(items.map((item) => (isItem(item) ? item.name : item))).size === items.length,
      {
        error: 'has two of one name',
      },
    )
    .optional(),
  annotations: z
    .strictObject({
      title: text('a text'),
      readOnlyHint: flag,
      destructiveHint: flag,
      idempotentHint: flag,
      openWorldHint: flag,
    })
    .optional(),
  task: z
    .strictObject({
      support: z
        .enum(['forbidden', 'optional', 'required'], {
          error: (issue) =>
            `must be 'forbidden', 'optional' or 'required', not ${show(issue.input)}`,
        })
        .optional(),
      asksFirst: flag,
      timeoutMs: milliseconds(),
      attempts: atLeastOne,
      backoff: z
        .strictObject({
          baseMs: milliseconds(),
          factor: z
            .number({ error: (issue) => `must be a number, not ${show(issue.input)}` })
            .min(1, { error: (issue) => `must be at least 1, not ${show(issue.input)}` })
            .optional(),
          maxMs: milliseconds(),
        })
        .optional(),
      deadlineMs: milliseconds(Number.MAX_SAFE_INTEGER),
      queue: queueName,
      isolate: z
        .literal('thread', {
          error: (issue) => `must be 'thread' or left out, not ${show(issue.input)}`,
        })
        .optional(),
      concurrency: atLeastOne,
      rate: toolRate,
      cost: toolCost,
      immediateResponse: text('a text'),
    })
    .optional(),
});

/**
 * Checks what the compiler can not see, or did not because the plugin is written in JavaScript.
 *
 * @throws {PluginDefinitionError} naming the tool, the field and what to write instead
 */
export function checkToolDefinition(definition: object): void {
  const sketch = '{ name, description, input, run }';
  const label = `tool '${definitionName('tool', 'defineTool', sketch, definition)}'`;
  checkFunction(label, definition, 'run', 'run(input, ctx)');
  const { description, middleware } = checkOptions(label, Definition, definition);
  if (middleware !== undefined) checkMiddleware(label, middleware);
  if (description.trim() === '') {
    throw new PluginDefinitionError(
      `${label}: description is empty: say what the tool does, models choose by it`,
    );
  }
}
