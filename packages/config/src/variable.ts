import * as z from 'zod';

/** A whole number from `min` to `max`. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));

/** Comma-separated; white space around a part and empty parts do not count. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** `name=number` pairs, comma-separated. */
export const numbers = list.transform((parts, context): ReadonlyMap<string, number> => {
  const pairs = parts.map((part): [string, number] => {
    const [, name = '', number = ''] = /^([A-Za-z0-9_-]{1,64})=([1-9]\d{0,8})$/.exec(part) ?? [];
    if (name === '') {
      context.addIssue(`"${part}" must be a name, = and a whole number above 0, such as images=4`);
    }
    return [name, Number(number)];
  });
  return new Map(pairs);
});

/** A variable of the environment: its schema, its default as one would write it, its meaning. */
export interface Variable<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  /** As written in the environment; null: unset, which has a meaning of its own. */
  readonly default: string | null;
  readonly unit: string;
  readonly meaning: string;
}

/** @param fallback as one would write it; null: unset */
export const variable = <Schema extends z.ZodType>(
  schema: Schema,
  fallback: string | null,
  unit: string,
  meaning: string,
): Variable<Schema> => ({ schema, default: fallback, unit, meaning });
