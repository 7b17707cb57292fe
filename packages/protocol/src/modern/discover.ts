import { type JsonObject, UI_EXTENSION } from '@longshore/core';
import type { ServerIdentity } from '../legacy/initialize.ts';
import { TASKS_EXTENSION } from '../shared/meta-keys.ts';
import { SUPPORTED_VERSIONS } from '../shared/versions.ts';
import { type CacheHint, cacheable, completeResult } from './results.ts';

/** What this server offers besides tools and tasks, which it always has. */
export interface ServerFeatures {
  /** Changes of the lists are announced on subscriptions/listen. */
  readonly listChanged: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  /** Changes of single resources are announced. */
  readonly resourceSubscriptions: boolean;
  readonly completions: boolean;
  readonly logging: boolean;
}

/**
 * The DiscoverResult. Tasks are an extension in this revision; the `tasks` capability of 2025-11-25 must
 * not appear.
 *
 * @see 2026-07-28 server/discover
 */
export function discoverResult(
  server: ServerIdentity,
  features: ServerFeatures,
  hint: CacheHint,
): JsonObject {
  const list = features.listChanged ? { listChanged: true } : {};
  const body: JsonObject = {
    supportedVersions: [...SUPPORTED_VERSIONS],
    capabilities: {
      tools: { ...list },
      ...(features.prompts ? { prompts: { ...list } } : {}),
      ...(features.resources
        ? { resources: { ...list, ...(features.resourceSubscriptions ? { subscribe: true } : {}) } }
        : {}),
      ...(features.completions ? { completions: {} } : {}),
      ...(features.logging ? { logging: {} } : {}),
      extensions: { [TASKS_EXTENSION]: {}, [UI_EXTENSION]: {} },
    },
    instructions: server.instructions,
  };
  return cacheable(completeResult(body, server), hint);
}
