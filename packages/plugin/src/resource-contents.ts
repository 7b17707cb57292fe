import * as z from 'zod';
import type { EmbeddedResource } from './values/content.ts';

interface Part {
  /** Of this part, when it is another than the requested one. */
  readonly uri?: string;
  readonly mimeType?: string;
}

/** A part of a resource; a `blob` is bytes, or base64. */
export type ResourcePart = Part &
  (
    | { readonly text: string; readonly blob?: never }
    | { readonly blob: string | Uint8Array; readonly text?: never }
  );

/** What `read` may return; null: there is no such resource. */
export type ResourceReturn = string | ResourcePart | readonly ResourcePart[] | null;

const facts = { uri: z.string().optional(), mimeType: z.string().optional() };

const error =
  'read returns a text, { text }, { blob: bytes or base64 }, an array of those, or null';

const PartSchema = z.union(
  [
    z.object({ ...facts, text: z.string(), blob: z.undefined().optional() }),
    z.object({
      ...facts,
      blob: z.union([
        z.base64(),
        z.instanceof(Uint8Array).transform((bytes) => Buffer.from(bytes).toString('base64')),
      ]),
      text: z.undefined().optional(),
    }),
  ],
  { error },
);

const Parts = z.union(
  [PartSchema.transform((part) => [part]), z.array(PartSchema).min(1, { error })],
  { error },
);

/**
 * The contents of a resource as the protocol has them.
 *
 * @throws {z.ZodError} the author returned something else
 */
export function resourceContents(
  returned: unknown,
  uri: string,
  mimeType: string | null,
): EmbeddedResource[] | null {
  if (returned === null) return null;
  const parts = typeof returned === 'string' ? [{ text: returned }] : Parts.parse(returned);
  return parts.map((part) => {
    const type = part.mimeType ?? mimeType;
    const head = { uri: part.uri ?? uri, ...(type === null ? {} : { mimeType: type }) };
    return part.text === undefined ? { ...head, blob: part.blob } : { ...head, text: part.text };
  });
}
