import type { AnnouncedTool, JsonObject } from '@longshore/core';

/**
 * A catalogue entry as 2025-11-25 lists it.
 * @param tasks whether the negotiated revision knows tasks; older ones have no `execution` member
 */
export function legacyTool(tool: AnnouncedTool, tasks: boolean): JsonObject {
  return {
    name: tool.name,
    ...(tool.title === null ? {} : { title: tool.title }),
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema === null ? {} : { outputSchema: tool.outputSchema }),
    ...(tool.annotations === null ? {} : { annotations: tool.annotations }),
    ...(tasks ? { execution: { taskSupport: tool.taskSupport } } : {}),
  };
}
