import type { JsonObject } from '@longshore/core';
import type { ReadResourceParams } from '@longshore/protocol';
import type { Caller } from '../calls/caller.ts';
import { shortRequest } from '../calls/short-request.ts';
import { addressOf } from '../catalogue/catalogue.ts';
import { requireResource } from '../catalogue/require-resource.ts';
import { readTaskResource } from '../contents/read-task-resource.ts';
import { isTaskUri } from '../tasks/task-uri.ts';
import type { ApiContext } from './api-context.ts';

/**
 * resources/read: a worker reads the resource of this URI, or of the first template that matches it. What
 * belongs to tasks, and pages for hosts that show them, are read here.
 *
 * @returns null when nobody waits for the answer any more
 * @throws {LongshoreError} RESOURCE_NOT_FOUND
 * @throws {StoredOutcomeError} when the worker fails, or finds nothing behind a template
 * @see 2025-11-25 server/resources
 */
export async function readResource(
  context: ApiContext,
  caller: Caller,
  { uri }: ReadResourceParams,
): Promise<JsonObject | null> {
  if (isTaskUri(uri)) {
    const { contents, settings } = context;
    return readTaskResource(contents, caller.principalId, uri, settings.resultInlineBytes);
  }
  const page = await context.cards.read(uri);
  if (page !== null) return page;
  const resource = requireResource(context.catalogue, uri);
  return shortRequest(context, caller, {
    method: 'resources/read',
    target: addressOf(resource),
    params: { uri },
    policy: resource.policy,
  });
}
