import type { AnnouncedTool, JsonObject } from '@longshore/core';
import { toolDescription, toolMeta } from '../shared/tool-policy.ts';

/**
 * A catalogue entry as 2025-11-25 lists it.
 * @param tasks whether the negotiated revision knows tasks; older ones have no `execution` member
 */
export function legacyTool(tool: AnnouncedTool, tasks: boolean): JsonObject {
  return {
    name: tool.name,
    ...(tool.title === null ? {} : { title: tool.title }),
    description: toolDescription(tool),
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema === null ? {} : { outputSchema: tool.outputSchema }),
    ...(tool.annotations === null ? {} : { annotations: tool.annotations }),
    ...(tasks ? { execution: { taskSupport: tool.taskSupport } } : {}),
    ...toolMeta(tool),
  };
}
