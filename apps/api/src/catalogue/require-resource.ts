import { type AnnouncedResource, LongshoreError } from '@longshore/core';
import { matchUriTemplate } from '@longshore/plugin/uri-template';
import type { Catalogue } from './catalogue.ts';

/**
 * The resource of this URI, else the first one, by template, whose template matches it.
 * @throws {LongshoreError} RESOURCE_NOT_FOUND
 */
export function requireResource(catalogue: Catalogue, uri: string): AnnouncedResource {
  const exact = catalogue.resources.find(uri);
  if (exact !== null) return exact;
  for (const resource of catalogue.templates.all()) {
    const { address } = resource;
    if (address.kind === 'template' && matchUriTemplate(address.template, uri) !== null) {
      return resource;
    }
  }
  // 2025-11-25 server/resources and 2026-07-28 (SEP-2164): the URI is in `data`.
  throw new LongshoreError('RESOURCE_NOT_FOUND', `Resource not found: ${uri}`, {
    details: { uri },
  });
}
