import * as z from 'zod';

/** Node's timers take a signed 32-bit number of milliseconds, 24.8 days; a longer one fires at once. */
export const LONGEST_TIMER_MS = 2_147_483_647;

/** A mistake in a plugin's code; the message says what to write instead. */
export class PluginDefinitionError extends Error {
  override readonly name = 'PluginDefinitionError';
}

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const QUEUE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export const milliseconds = (max: number = LONGEST_TIMER_MS) =>
  z
    .int({ error: (issue) => `must be a whole number of milliseconds, not ${show(issue.input)}` })
    .min(1, { error: (issue) => `must be above 0, not ${show(issue.input)}` })
    .max(max, { error: (issue) => `must be at most ${max}, not ${show(issue.input)}` })
    .optional();

export const atLeastOne = z
  .int({ error: (issue) => `must be a whole number, not ${show(issue.input)}` })
  .min(1, { error: (issue) => `must be at least 1, not ${show(issue.input)}` })
  .optional();

export const text = (what: string) => z.string({ error: `must be ${what}` }).optional();

export const flag = z.boolean({ error: 'must be true or false' }).optional();

export const queueName = z
  .string({ error: 'must be a text' })
  .regex(QUEUE_NAME, {
    error: (issue) => `must be 1 to 64 letters, digits, '_' or '-', not ${show(issue.input)}`,
  })
  .optional();

export const functions = z.record(
  z.string(),
  z.custom((value) => typeof value === 'function', { error: 'must be a function' }),
  { error: 'must be an object of functions' },
);

/**
 * The name of a definition, once it is known to be an object with a valid one.
 *
 * @param maker such as `defineTool`
 * @param sketch what its argument looks like
 * @throws {PluginDefinitionError}
 */
export function definitionName(
  kind: 'tool' | 'prompt' | 'item',
  maker: string,
  sketch: string,
  definition: unknown,
): string {
  if (typeof definition !== 'object' || definition === null) {
    throw new PluginDefinitionError(`${maker} takes an object: ${maker}(${sketch})`);
  }
  const name = 'name' in definition ? definition.name : undefined;
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new PluginDefinitionError(
      `${kind} name ${show(name)}: use 1 to 128 letters, digits, '_', '-' or '.'`,
    );
  }
  return name;
}

/**
 * Checks everything an author said against the options there are.
 *
 * @param label who is spoken of, such as `tool 'resize'`
 * @throws {PluginDefinitionError} with all problems at once
 */
export function checkOptions<Options extends z.ZodObject>(
  label: string,
  options: Options,
  definition: unknown,
): z.output<Options> {
  const checked = options.safeParse(definition);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map((issue) => describe(issue, options)).join('; ');
  throw new PluginDefinitionError(`${label}: ${problems}`);
}

export function checkFunction(
  label: string,
  definition: object,
  name: string,
  sketch: string,
): void {
  const member: unknown = Reflect.get(definition, name);
  if (typeof member !== 'function') {
    throw new PluginDefinitionError(`${label} has no ${sketch} function`);
  }
}

function describe(issue: z.core.$ZodIssue, options: z.ZodObject): string {
  const path = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return `${path} ${issue.message}`;
  const unknown = issue.keys.map((key) => (path === '' ? key : `${path}.${key}`)).join(', ');
  return `${unknown} is not a known option (known: ${knownKeys(options, issue.path)})`;
}

function knownKeys(options: z.ZodObject, path: readonly PropertyKey[]): string {
  let shape: Readonly<Record<string, unknown>> = options.shape;
  for (const key of path) {
    const member = shape[String(key)];
    const object = member instanceof z.ZodOptional ? member.unwrap() : member;
    if (!(object instanceof z.ZodObject)) return '';
    shape = object.shape;
  }
  return Object.keys(shape).join(', ');
}

export function show(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
}
