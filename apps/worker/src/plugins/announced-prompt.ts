import type { AnnouncedPrompt } from '@longshore/core';
import type { Prompt } from '@longshore/plugin';

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
