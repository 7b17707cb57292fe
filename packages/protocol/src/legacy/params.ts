import { DeclaredCapabilities, LOG_LEVELS } from '@longshore/core';
import * as z from 'zod';
import { IDEMPOTENCY_META } from '../shared/idempotency-key.ts';
import { jsonObject } from '../shared/json-object.ts';
import { type JsonRpcRequest, RequestIdSchema } from '../shared/json-rpc.ts';
import { parseParams } from '../shared/parse-params.ts';
import { TRACE_META } from '../shared/trace-meta.ts';

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

const Page = z.object({ cursor: z.string().optional() });
const TaskParams = z.object({ taskId: z.string() });

const CompletionReference = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ref/prompt'), name: z.string().min(1) }),
  z.object({ type: z.literal('ref/resource'), uri: Uri }),
]);

/**
 * Params of each legacy method. Unknown members are ignored, as MCP asks; plain objects rather than loose
 * ones, because zod compiles only those.
 */
export const LegacyParams = {
  initialize: z.object({
    protocolVersion: z.string(),
    capabilities: DeclaredCapabilities.default({}),
    clientInfo: z.object({ name: ClientName, version: ClientName }),
  }),
  ping: z.object({}),
  'logging/setLevel': z.object({
    level: z.enum(LOG_LEVELS, { error: `level must be one of ${LOG_LEVELS.join(', ')}` }),
  }),
  'tools/list': Page,
  'tools/call': z.object({
    name: z.string().min(1),
    arguments: jsonObject('arguments').default({}),
    task: z.object({ ttl: Ttl.optional() }, { error: 'task must be an object' }).optional(),
    _meta: Meta.extend({ ...IDEMPOTENCY_META, ...TRACE_META }).optional(),
  }),
  'prompts/list': Page,
  'prompts/get': z.object({
    name: z.string().min(1),
    arguments: TextArguments.default({}),
    _meta: Meta.optional(),
  }),
  'resources/list': Page,
  'resources/templates/list': Page,
  'resources/read': z.object({ uri: Uri, _meta: Meta.optional() }),
  'resources/subscribe': z.object({ uri: Uri }),
  'resources/unsubscribe': z.object({ uri: Uri }),
  'completion/complete': z.object({
    ref: CompletionReference,
    argument: z.object({ name: z.string().min(1), value: z.string() }),
    context: z.object({ arguments: TextArguments.optional() }).optional(),
    _meta: Meta.optional(),
  }),
  'tasks/get': TaskParams,
  'tasks/list': Page,
  'tasks/cancel': TaskParams,
  'tasks/result': TaskParams,
} as const satisfies Record<string, z.ZodType>;

/** Of notifications/cancelled. */
export const CancelledParams = z.object({
  requestId: RequestIdSchema,
  reason: z.string().optional(),
});

export type LegacyMethod = keyof typeof LegacyParams;

/** Params of a method as its schema gives them. */
export type LegacyParamsOf<Method extends LegacyMethod> = z.output<(typeof LegacyParams)[Method]>;

export type CallToolParams = LegacyParamsOf<'tools/call'>;
export type CompleteParams = Omit<LegacyParamsOf<'completion/complete'>, '_meta'>;
export type GetPromptParams = Omit<LegacyParamsOf<'prompts/get'>, '_meta'>;
export type ReadResourceParams = Omit<LegacyParamsOf<'resources/read'>, '_meta'>;
export type InitializeParams = LegacyParamsOf<'initialize'>;

export function isLegacyMethod(method: string): method is LegacyMethod {
  return Object.hasOwn(LegacyParams, method);
}

/** @throws {LongshoreError} INVALID_PARAMS with everything that is wrong */
export function parseLegacyParams<Method extends LegacyMethod>(
  method: Method,
  params: unknown,
): LegacyParamsOf<Method> {
  const schema: z.ZodType = LegacyParams[method];
  return parseParams(method, schema, params) as LegacyParamsOf<Method>;
}

/**
 * `_meta` is checked for every method, also for those that make no use of it.
 * @throws {LongshoreError} INVALID_PARAMS
 */
export function checkRequestMeta({ method, params }: JsonRpcRequest): void {
  if (params?.['_meta'] !== undefined) parseParams(method, Meta, params['_meta']);
}
