import type { JsonValue } from '@longshore/core';
import * as z from 'zod';
import { IDEMPOTENCY_META } from '../shared/idempotency-key.ts';
import { jsonObject } from '../shared/json-object.ts';
import { TRACE_META } from '../shared/trace-meta.ts';

const Nothing = z.object({});
const Page = z.object({ cursor: z.string().optional() });
const TaskParams = z.object({ taskId: z.string() });

/** Answers by the key of their question. Values stay raw: those of unknown keys are ignored, junk or not. */
const InputResponses = z.record(z.string(), z.custom<JsonValue>());

/** The second round of a request that was answered with `input_required` (basic/patterns/mrtr). */
const SecondRound = {
  inputResponses: InputResponses.optional(),
  requestState: z.string().optional(),
};

const StringRecord = z.record(z.string(), z.string());

const Reference = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ref/prompt'), name: z.string() }),
  z.object({ type: z.literal('ref/resource'), uri: z.string() }),
]);

/** What a listener wants to hear of; `taskIds` belongs to the tasks extension. */
const ListenFilter = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string()).optional(),
  taskIds: z.array(z.string()).optional(),
});

/**
 * Every method of 2026-07-28 and of the tasks extension, with the params it takes. Unknown members are
 * ignored, `task` of a legacy tools/call among them (SEP-2663). The rest of `_meta` is the envelope's business.
 */
export const ModernParams = {
  'server/discover': Nothing,
  'tools/list': Page,
  'tools/call': z.object({
    name: z.string().min(1),
    arguments: jsonObject('arguments').default({}),
    ...SecondRound,
    _meta: z.object({ ...IDEMPOTENCY_META, ...TRACE_META }).optional(),
  }),
  'prompts/list': Page,
  'prompts/get': z.object({
    name: z.string().min(1),
    arguments: StringRecord.default({}),
    ...SecondRound,
  }),
  'resources/list': Page,
  'resources/templates/list': Page,
  'resources/read': z.object({ uri: z.string().min(1), ...SecondRound }),
  'completion/complete': z.object({
    ref: Reference,
    argument: z.object({ name: z.string(), value: z.string() }),
    context: z.object({ arguments: StringRecord.optional() }).optional(),
  }),
  'tasks/get': TaskParams,
  'tasks/update': TaskParams.extend({ inputResponses: InputResponses }),
  'tasks/cancel': TaskParams,
  'subscriptions/listen': z.object({ notifications: ListenFilter }),
} as const satisfies Record<string, z.ZodType>;

export type ListenFilter = z.output<typeof ListenFilter>;
export type InputResponses = Readonly<Record<string, JsonValue>>;
