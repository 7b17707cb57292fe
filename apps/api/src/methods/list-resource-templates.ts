import { type Access, admits, type JsonObject } from '@longshore/core';
import { wireResource } from '@longshore/protocol';
import { scopeFilter } from '../edge/auth/visible-entries.ts';
import { TASK_TEMPLATES } from '../tasks/task-uri.ts';
import type { ApiContext } from './api-context.ts';
import { listPage } from './list-page.ts';

/** resources/templates/list: ours for what belongs to tasks, then by template, a page at a time. */
export function listResourceTemplates(
  context: ApiContext,
  access: Access,
  params: { cursor?: string | undefined },
): JsonObject {
  const page = listPage(
    'resourceTemplates',
    context.catalogue.templates,
    params,
    wireResource,
    scopeFilter(access, 'resources:*'),
  );
  if (params.cursor !== undefined || !admits(access.scopes, 'tasks:read')) return page;
  const { resourceTemplates } = page;
  const others = Array.isArray(resourceTemplates) ? resourceTemplates : [];
  return { ...page, resourceTemplates: [...TASK_TEMPLATES, ...others] };
}
