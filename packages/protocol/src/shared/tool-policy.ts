import type { AnnouncedTool, JsonObject } from '@longshore/core';
import { TOOL_POLICY_META } from '../meta-keys.ts';

/**
 * What MCP has no members for, as the `_meta` of a tool: how its runs are handled, what they cost, its version.
 * Tools that no worker runs have none.
 */
export function toolMeta(tool: AnnouncedTool): { readonly _meta?: JsonObject } {
  const { policy, version, deprecated, cost } = tool;
  // The name of no queue.
  if (policy.queue === '') return {};
  const shown: JsonObject = {
    queue: policy.queue,
    timeoutMs: policy.timeoutMs,
    attempts: policy.maxAttempts,
    ...(policy.deadlineMs === null ? {} : { deadlineMs: policy.deadlineMs }),
    ...(policy.concurrency === null ? {} : { concurrency: policy.concurrency }),
    ...(policy.rate === null
      ? {}
      : { rate: { starts: policy.rate.starts, perMs: policy.rate.perMs } }),
    ...(version === null ? {} : { version }),
    ...(deprecated === null ? {} : { deprecated }),
    ...(cost === null ? {} : { cost: costOf(cost) }),
  };
  return { _meta: { [TOOL_POLICY_META]: shown } };
}

/** The description for models, which see nothing else: a deprecated tool says at its end what to use instead. */
export function toolDescription({ description, deprecated }: AnnouncedTool): string {
  return deprecated === null ? description : `${description}\n\nDeprecated: ${deprecated}`;
}

function costOf({ amount, unit, note }: NonNullable<AnnouncedTool['cost']>): JsonObject {
  return {
    ...(amount === undefined ? {} : { amount }),
    unit,
    ...(note === undefined ? {} : { note }),
  };
}
