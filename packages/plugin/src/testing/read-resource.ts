import type { Resource } from '../resource.ts';
import type { EmbeddedResource } from '../values/content.ts';
import { type Recording, type RunOptions, recordedContext } from './recorded-context.ts';

/** A resource that has been read. */
export interface ResourceRead extends Recording {
  /** As the client gets them, bytes as base64; null: there is no such resource. */
  readonly contents: readonly EmbeddedResource[] | null;
}

/**
 * Reads a resource in memory.
 *
 * @throws whatever its `read` throws, but for ResourceNotFound
 */
export async function readResource(
  resource: Resource,
  uri: string,
  options: RunOptions = {},
): Promise<ResourceRead> {
  const { ctx, recording } = recordedContext(
    options,
    options.signal ?? new AbortController().signal,
  );
  return { ...recording, contents: await resource.read(uri, ctx) };
}
