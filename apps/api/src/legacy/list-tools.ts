import type { Access, JsonObject, Session } from '@longshore/core';
import { legacyTool, speaksTasks } from '@longshore/protocol';
import { toolFilter } from '../edge/auth/visible-entries.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { listPage } from '../methods/list-page.ts';
import { knowsTasks, legacyAbilities } from './legacy-abilities.ts';

/** tools/list: what of the catalogue the caller may call, by name, a page at a time. */
export function listTools(
  context: ApiContext,
  session: Session,
  access: Access,
  params: { cursor?: string | undefined },
): JsonObject {
  const tasks = speaksTasks(session.protocolVersion);
  const { jobTools, catalogue, cards } = context;
  return listPage(
    'tools',
    jobTools.among(catalogue.tools, access, {
      knowsTasks: knowsTasks(session),
      abilities: legacyAbilities(session),
    }),
    params,
    (tool) => legacyTool(tool, tasks, cards.of(tool)),
    toolFilter(access),
  );
}
