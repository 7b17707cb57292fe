import type * as z from 'zod';
import { parseParams } from '../shared/parse-params.ts';
import { ModernParams } from './params.ts';

export type ModernMethod = keyof typeof ModernParams;

/** Params of a method as its schema gives them. */
export type ModernParamsOf<Method extends ModernMethod> = z.output<(typeof ModernParams)[Method]>;

/** Which member of the params the Mcp-Name header mirrors (2026-07-28 basic/transports, SEP-2663). */
const NAME_FIELDS: ReadonlyMap<string, 'name' | 'uri' | 'taskId'> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/**
 * False also for what earlier revisions had: initialize, ping, logging/setLevel, resources/subscribe,
 * tasks/list, tasks/result.
 */
export function isModernMethod(method: string): method is ModernMethod {
  return Object.hasOwn(ModernParams, method);
}

export function nameField(method: string): 'name' | 'uri' | 'taskId' | null {
  return NAME_FIELDS.get(method) ?? null;
}

/** @throws {LongshoreError} INVALID_PARAMS with everything that is wrong */
export function parseModernParams<Method extends ModernMethod>(
  method: Method,
  params: unknown,
): ModernParamsOf<Method> {
  const schema: z.ZodType = ModernParams[method];
  return parseParams(method, schema, params) as ModernParamsOf<Method>;
}
