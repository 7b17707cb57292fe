import { LongshoreError } from '@longshore/core';
import type * as z from 'zod';

/**
 * Params of a request through their method's schema; no params are an empty object.
 *
 * @throws {LongshoreError} INVALID_PARAMS that names everything that is wrong, but no values
 */
export function parseParams<Schema extends z.ZodType>(
  method: string,
  schema: Schema,
  raw: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(raw ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const where = issue.path.join('.');
    return where === '' || issue.message.startsWith(where)
      ? issue.message
      : `${where}: ${issue.message}`;
  });
  throw new LongshoreError(
    'INVALID_PARAMS',
    `Invalid params for ${method}: ${problems.join('; ')}`,
  );
}
