import type {
  AnnouncedPrompt,
  AnnouncedResource,
  AnnouncedTool,
  PluginCard,
} from '@longshore/core';
import type { Prompt, Resource, Tool } from '@longshore/plugin';
import { toJsonObject } from '../json/to-json-value.ts';
import { toolFingerprint } from './tool-fingerprint.ts';

/** How a plugin's tool looks in the catalogue. */
export function announcedTool(
  tool: Tool,
  plugin: { readonly name: string; readonly version: string },
  card: PluginCard | null = null,
): AnnouncedTool {
  const { policy } = tool;
  const inputSchema = toJsonObject(tool.inputSchema);
  const outputSchema = tool.outputSchema === null ? null : toJsonObject(tool.outputSchema);
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema,
    outputSchema,
    annotations: tool.annotations === null ? null : toJsonObject(tool.annotations),
    taskSupport: policy.support,
    asksFirst: policy.asksFirst,
    requires: tool.requires,
    immediateResponse: policy.immediateResponse,
    policy: {
      queue: policy.queue,
      timeoutMs: policy.timeoutMs,
      maxAttempts: policy.attempts,
      backoff: policy.backoff,
      deadlineMs: policy.deadlineMs,
      concurrency: policy.concurrency,
      rate: policy.rate ?? null,
    },
    version: tool.version ?? null,
    deprecated: tool.deprecated ?? null,
    cost: policy.cost ?? null,
    card: card?.uri ?? null,
    fingerprint: toolFingerprint(inputSchema, outputSchema),
    plugin: plugin.name,
    pluginVersion: plugin.version,
  };
}

/** How a plugin's prompt looks in the catalogue. */
export function announcedPrompt(
  prompt: Prompt,
  plugin: { readonly name: string; readonly version: string },
): AnnouncedPrompt {
  return {
    name: prompt.name,
    title: prompt.title,
    description: prompt.description,
    arguments: prompt.arguments,
    completes: prompt.completes,
    policy: prompt.policy,
    plugin: plugin.name,
    pluginVersion: plugin.version,
  };
}

/** How a plugin's resource looks in the catalogue. */
export function announcedResource(
  resource: Resource,
  plugin: { readonly name: string; readonly version: string },
): AnnouncedResource {
  return {
    name: resource.name,
    title: resource.title,
    description: resource.description,
    address: resource.address,
    mimeType: resource.mimeType,
    annotations: resource.annotations === null ? null : toJsonObject(resource.annotations),
    completes: resource.completes,
    policy: resource.policy,
    plugin: plugin.name,
    pluginVersion: plugin.version,
  };
}
