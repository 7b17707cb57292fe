import * as z from 'zod';

/** JSON Schema has no word for `Date`: instants travel as RFC 3339 in UTC. */
export const Instant = z.iso.datetime().meta({ description: 'RFC 3339, UTC' });
export const Id = z.uuid();
export const JsonObject = z.record(z.string(), z.unknown());

/** A query parameter that may come once or again and again. */
export const oneOrMore = <T extends z.ZodType>(schema: T) =>
  z
    .union([schema, z.array(schema).max(20)])
    .transform((value) => (Array.isArray(value) ? value : [value]) as z.output<T>[]);

/** What a page of a list ends with. */
export const Cursor = z.string().max(512);
export const Limit = z.coerce.number().int().min(1).max(200);
