import type { BatchId, JsonObject } from '@longshore/core';
import * as z from 'zod';

/** What the task of a chunk is called with. */
const ChunkArguments = z.object({
  batch: z.uuid().transform((id) => id as BatchId),
  position: z.int(),
  item: z.string().nullable(),
  itemAttempts: z.int(),
  itemTimeoutMs: z.number().nullable(),
  stopAfterFailures: z.number().nullable(),
  keepsValues: z.boolean(),
});
export type ChunkArguments = z.infer<typeof ChunkArguments>;

export function chunkArguments(args: ChunkArguments): JsonObject {
  return { ...args };
}

/** @throws {z.ZodError} */
export function parseChunkArguments(args: JsonObject): ChunkArguments {
  return ChunkArguments.parse(args);
}
