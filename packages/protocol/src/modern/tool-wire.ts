import type { AnnouncedTool, JsonObject } from '@longshore/core';
import { legacyTool } from '../legacy/tool-wire.ts';

/** A catalogue entry as 2026-07-28 lists it: whether a call becomes a task is not on this wire. */
export function modernTool(tool: AnnouncedTool): JsonObject {
  return legacyTool(tool, false);
}
