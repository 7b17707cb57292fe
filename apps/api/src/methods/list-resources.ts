import type { Access, JsonObject } from '@longshore/core';
import { wireResource } from '@longshore/protocol';
import { scopeFilter } from '../edge/auth/visible-entries.ts';
import type { ApiContext } from './api-context.ts';
import { listPage } from './list-page.ts';

/** resources/list: pages for hosts that show them, then those of one URI each, by URI, a page at a time. */
export function listResources(
  context: ApiContext,
  access: Access,
  params: { cursor?: string | undefined },
): JsonObject {
  const page = listPage(
    'resources',
    context.catalogue.resources,
    params,
    wireResource,
    scopeFilter(access, 'resources:*'),
  );
  if (params.cursor !== undefined) return page;
  const { resources } = page;
  return {
    ...page,
    resources: [...context.cards.list(), ...(Array.isArray(resources) ? resources : [])],
  };
}
