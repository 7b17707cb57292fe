import type { Access, JsonObject } from '@longshore/core';
import { wirePrompt } from '@longshore/protocol';
import { scopeFilter } from '../edge/auth/visible-entries.ts';
import type { ApiContext } from './api-context.ts';
import { listPage } from './list-page.ts';

/** prompts/list: by name, a page at a time. */
export function listPrompts(
  context: ApiContext,
  access: Access,
  params: { cursor?: string | undefined },
): JsonObject {
  return listPage(
    'prompts',
    context.catalogue.prompts,
    params,
    wirePrompt,
    scopeFilter(access, 'prompts:*'),
  );
}
