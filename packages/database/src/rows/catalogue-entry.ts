import type {
  AnnouncedPrompt,
  AnnouncedResource,
  AnnouncedTool,
  WorkerAnnouncement,
} from '@longshore/core';
import * as z from 'zod';
import { jsonObjectColumn } from './columns.ts';

export type CatalogueKind = 'tool' | 'prompt' | 'resource';

/** A row of `catalogue_entries` but for its worker; `definition` is JSON text. */
export interface CatalogueEntry {
  readonly kind: CatalogueKind;
  readonly name: string;
  readonly definition: string;
  /** Of a tool; a column of its own, for json operators do not take every definition (\\u0000). */
  readonly fingerprint: string | null;
}

export function catalogueEntries(worker: WorkerAnnouncement): CatalogueEntry[] {
  const entry = (
    kind: CatalogueKind,
    name: string,
    definition: object,
    fingerprint: string | null = null,
  ): CatalogueEntry => ({
    kind,
    name,
    definition: JSON.stringify(definition),
    fingerprint,
  });
  return [
    ...worker.tools.map((tool) => entry('tool', tool.name, tool, tool.fingerprint)),
    ...worker.prompts.map((prompt) => entry('prompt', prompt.name, prompt)),
    ...worker.resources.map((resource) => {
      const { address } = resource;
      return entry('resource', address.kind === 'uri' ? address.uri : address.template, resource);
    }),
  ];
}

/*
 * What a worker of this version announces. An entry of another version may not fit.
 */

const requestPolicy = z.object({ queue: z.string(), timeoutMs: z.number() });

export const AnnouncedToolRow: z.ZodType<AnnouncedTool> = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  inputSchema: jsonObjectColumn,
  outputSchema: jsonObjectColumn.nullable(),
  annotations: jsonObjectColumn.nullable(),
  taskSupport: z.enum(['forbidden', 'optional', 'required']),
  asksFirst: z.boolean(),
  requires: z.array(z.enum(['elicitation', 'sampling', 'roots'])),
  immediateResponse: z.string().nullable(),
  policy: z.object({
    queue: z.string(),
    timeoutMs: z.number(),
    maxAttempts: z.number(),
    backoff: z.object({ baseMs: z.number(), factor: z.number(), maxMs: z.number() }),
    deadlineMs: z.number().nullable(),
    // Workers of 0.1 do not announce it.
    concurrency: z.number().nullable().default(null),
    // Nor this.
    rate: z.object({ starts: z.number(), perMs: z.number() }).nullable().default(null),
  }),
  // Nor these.
  version: z.string().nullable().default(null),
  deprecated: z.string().nullable().default(null),
  cost: z
    .object({ amount: z.number().optional(), unit: z.string(), note: z.string().optional() })
    .nullable()
    .default(null),
  card: z.string().nullable().default(null),
  fingerprint: z.string().nullable().default(null),
  plugin: z.string(),
  pluginVersion: z.string(),
});

const described = {
  name: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  completes: z.array(z.string()),
  policy: requestPolicy,
  plugin: z.string(),
  pluginVersion: z.string(),
};

export const AnnouncedPromptRow: z.ZodType<AnnouncedPrompt> = z.object({
  ...described,
  arguments: z.array(
    z.object({ name: z.string(), description: z.string().nullable(), required: z.boolean() }),
  ),
});

export const AnnouncedResourceRow: z.ZodType<AnnouncedResource> = z.object({
  ...described,
  address: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('uri'), uri: z.string() }),
    z.object({ kind: z.literal('template'), template: z.string() }),
  ]),
  mimeType: z.string().nullable(),
  annotations: jsonObjectColumn.nullable(),
});
