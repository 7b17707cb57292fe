import type { AnnouncedResource } from '@longshore/core';
import type { Resource } from '@longshore/plugin';
import { toJsonObject } from '../json/to-json-value.ts';

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
