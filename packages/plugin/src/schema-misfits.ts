/** Whether a schema is of arguments, as they are sent, or of a result, as it is answered. */
export type Io = 'input' | 'output';

/** What is wrong with a zod type that JSON has no values for, and what to write instead. */
interface Misfit {
  readonly what: string;
  readonly input: string;
  readonly output: string;
}

const MISFITS: Readonly<Record<string, Misfit>> = {
  bigint: {
    what: 'a BigInt',
    input: 'write z.int(), or z.string() for numbers beyond 2^53',
    output: 'write z.int(), or z.string() and return String(value)',
  },
  date: {
    what: 'a Date',
    input: 'write z.iso.datetime(), and new Date(value) in run',
    output: 'write z.iso.datetime(), and return date.toISOString()',
  },
  map: {
    what: 'a Map',
    input: 'write z.record(z.string(), ...)',
    output: 'write z.record(z.string(), ...), and return Object.fromEntries(map)',
  },
  set: {
    what: 'a Set',
    input: 'write z.array(...)',
    output: 'write z.array(...), and return [...set]',
  },
  undefined: {
    what: 'undefined',
    input: 'leave it out, or write .optional() on a type',
    output: 'leave it out, or write .optional() on a type',
  },
  void: {
    what: 'undefined',
    input: 'leave it out, or write .optional() on a type',
    output: 'leave it out, or write .optional() on a type',
  },
  function: {
    what: 'a function',
    input: 'leave it out: arguments are data',
    output: 'leave it out: results are data',
  },
  symbol: {
    what: 'a Symbol',
    input: 'write z.string() or z.enum([...])',
    output: 'write z.string() or z.enum([...])',
  },
  nan: {
    what: 'NaN',
    input: 'write z.number().nullable()',
    output: 'write z.number().nullable(), and return null',
  },
  custom: {
    what: 'a custom type or an instance of a class',
    input: 'write z.object({ ... }) with its members',
    output: 'write z.object({ ... }) with its members, and return these',
  },
  transform: {
    what: 'a transform, of which nobody can tell what it takes or makes',
    input: 'write the type that is sent, and .transform(...) after it',
    output: 'write the type it makes, and transform in run',
  },
  promise: {
    what: 'a promise',
    input: 'write the type it resolves to',
    output: 'write the type it resolves to: run may be async',
  },
  file: {
    what: 'a File',
    input: 'write z.string() for its path or its content',
    output: 'write it with ctx.file(name), and return its link as z.string()',
  },
  literal: {
    what: 'a literal that is undefined or a BigInt',
    input: 'write a text, a number, a boolean or null',
    output: 'write a text, a number, a boolean or null',
  },
};

/** What zod describes as if it were a text or something else that it is not. */
const SILENT: ReadonlySet<string> = new Set(['file', 'promise']);

/** Whether zod writes a JSON Schema for this type that its values do not keep to. */
export function isSilentMisfit(type: string): boolean {
  return SILENT.has(type);
}

/**
 * Names the place in the words of the author and says what to write there.
 *
 * @param path in the JSON Schema
 * @param message what zod says, for types that are not known here
 */
export function explainMisfit(
  field: string,
  path: readonly (string | number)[],
  type: string,
  io: Io,
  message: string,
): string {
  const misfit = MISFITS[type];
  const place = placeOf(field, path);
  return misfit === undefined
    ? `${place}: ${message}`
    : `${place} is ${misfit.what}: ${misfit[io]}`;
}

/** `output.rows[].at` for `properties/rows/items/properties/at`. */
function placeOf(field: string, path: readonly (string | number)[]): string {
  let place = field;
  for (let index = 0; index < path.length; index += 1) {
    const part = path[index];
    // Branches of a union and the like have no name in what the author wrote.
    if (part === 'properties') {
      index += 1;
      place += `.${path[index]}`;
    } else if (part === 'items') place += '[]';
    else if (part === 'additionalProperties') place += '{}';
  }
  return place;
}
