import { DeclaredCapabilities, LOG_LEVELS } from '@longshore/core';
import * as z from 'zod';
import { IDEMPOTENCY_META } from '../shared/idempotency-key.ts';
import { jsonObject } from '../shared/json-object.ts';
import { RequestIdSchema } from '../shared/json-rpc.ts';

/** `_meta` of a request. A progressToken is a string or an integer (2025-11-25 basic/utilities/progress). */
const Meta = z.object({
  progressToken: z
    .union([z.string(), z.int()], { error: 'progressToken must be a string or an integer' })
    .optional(),
});

/** Milliseconds from creation; the server may shorten it. */
const Ttl = z
  .number({ error: 'task.ttl must be a number of milliseconds' })
  .positive('task.ttl must be above 0')
  .transform(Math.ceil);

/** Arguments of prompts and completions are strings (2025-11-25 server/prompts). */
const TextArguments = z.record(z.string(), z.string(), {
  error: 'arguments must be an object of strings',
});

/** Of a client, or its version: stored with each of its sessions. */
const ClientName = z.string().max(256, 'must have 256 characters at most');

/** Longer than any URI in use; subscriptions are stored. */
const Uri = z
  .string()
  .min(1)
  .max(4_096, 'uri must have 4096 characters at most')
  .regex(/^\P{Cc}*$/u, 'uri must not have control characters');

const CompletionReference = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ref/prompt'), name: z.string().min(1) }),
  z.object({ type: z.literal('ref/resource'), uri: Uri }),
]);

/**
 * Params of each legacy method. Unknown members are ignored, as MCP asks; plain objects rather than loose
 * ones, because zod compiles only those.
 */
export const LegacyParams = {
  /** `_meta` of any request. */
  meta: Meta,
  initialize: z.object({
    protocolVersion: z.string(),
    capabilities: DeclaredCapabilities.default({}),
    clientInfo: z.object({ name: ClientName, version: ClientName }),
  }),
  ping: z.object({}),
  setLevel: z.object({
    level: z.enum(LOG_LEVELS, { error: `level must be one of ${LOG_LEVELS.join(', ')}` }),
  }),
  listTools: z.object({ cursor: z.string().optional() }),
  callTool: z.object({
    name: z.string().min(1),
    arguments: jsonObject('arguments').default({}),
    task: z.object({ ttl: Ttl.optional() }, { error: 'task must be an object' }).optional(),
    _meta: Meta.extend(IDEMPOTENCY_META).optional(),
  }),
  listPrompts: z.object({ cursor: z.string().optional() }),
  getPrompt: z.object({
    name: z.string().min(1),
    arguments: TextArguments.default({}),
    _meta: Meta.optional(),
  }),
  listResources: z.object({ cursor: z.string().optional() }),
  listResourceTemplates: z.object({ cursor: z.string().optional() }),
  readResource: z.object({ uri: Uri, _meta: Meta.optional() }),
  subscription: z.object({ uri: Uri }),
  complete: z.object({
    ref: CompletionReference,
    argument: z.object({ name: z.string().min(1), value: z.string() }),
    context: z.object({ arguments: TextArguments.optional() }).optional(),
    _meta: Meta.optional(),
  }),
  task: z.object({ taskId: z.string() }),
  listTasks: z.object({ cursor: z.string().optional() }),
  cancelled: z.object({ requestId: RequestIdSchema, reason: z.string().optional() }),
} as const;

export type CallToolParams = z.output<typeof LegacyParams.callTool>;
export type CompleteParams = Omit<z.output<typeof LegacyParams.complete>, '_meta'>;
export type GetPromptParams = Omit<z.output<typeof LegacyParams.getPrompt>, '_meta'>;
export type ReadResourceParams = Omit<z.output<typeof LegacyParams.readResource>, '_meta'>;
export type InitializeParams = z.output<typeof LegacyParams.initialize>;
