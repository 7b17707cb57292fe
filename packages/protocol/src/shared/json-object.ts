import type { JsonObject } from '@longshore/core';
import * as z from 'zod';

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parsed from JSON, so whatever is inside is JSON as well. */
export function jsonObject(name: string): z.ZodType<JsonObject> {
  return z.custom<JsonObject>(isObject, `${name} must be an object`);
}
