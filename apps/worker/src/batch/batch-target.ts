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
