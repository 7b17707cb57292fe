import type { AnnouncedResource, JsonObject } from '@longshore/core';

/**
 * A catalogue entry as resources/list shows it, or resources/templates/list when its address is a template;
 * the same in both eras (2025-11-25 server/resources).
 */
export function wireResource(resource: AnnouncedResource): JsonObject {
  const { address } = resource;
  return {
    ...(address.kind === 'uri' ? { uri: address.uri } : { uriTemplate: address.template }),
    name: resource.name,
    ...(resource.title === null ? {} : { title: resource.title }),
    ...(resource.description === null ? {} : { description: resource.description }),
    ...(resource.mimeType === null ? {} : { mimeType: resource.mimeType }),
    ...(resource.annotations === null ? {} : { annotations: resource.annotations }),
  };
}
