import type { AnnouncedTool } from '@longshore/core';

/** How many runs of a tool that another one starts may go on at once. One that starts itself has its slot. */
export function toolLimit(tool: AnnouncedTool, startedBy: string): number | null {
  return tool.name === startedBy ? null : tool.policy.concurrency;
}
