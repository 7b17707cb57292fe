import type { AnnouncedTool } from '@longshore/core';
import type { ItemFunction } from '@longshore/plugin';

/** What a batch runs on its items. */
export type BatchTarget =
  /** Here, as a part of the attempt. */
  | { readonly kind: 'inline'; readonly run: ItemFunction<unknown, unknown> }
  /** In chunks that are tasks of their own, by any worker that has the tool. */
  | {
      readonly kind: 'chunks';
      readonly toolName: string;
      /** Which of the tool's item functions; null: the tool itself. */
      readonly item: string | null;
      readonly queue: string;
      readonly itemAttempts: number;
      readonly itemTimeoutMs: number | null;
      /** Of the tool, over all workers. */
      readonly toolLimit: number | null;
    };

/** How many runs of a tool that another one starts may go on at once. One that starts itself has its slot. */
export function toolLimit(tool: AnnouncedTool, startedBy: string): number | null {
  return tool.name === startedBy ? null : tool.policy.concurrency;
}

/** What the items of another batch were for, as their chunks say; for a map that runs some of them again. */
export class NamedTarget {
  readonly toolName: string;
  /** Which of the tool's item functions; null: the tool itself. */
  readonly item: string | null;
  readonly itemAttempts: number;
  readonly itemTimeoutMs: number | null;

  constructor(target: {
    readonly toolName: string;
    readonly item: string | null;
    readonly itemAttempts: number;
    readonly itemTimeoutMs: number | null;
  }) {
    this.toolName = target.toolName;
    this.item = target.item;
    this.itemAttempts = target.itemAttempts;
    this.itemTimeoutMs = target.itemTimeoutMs;
  }
}
