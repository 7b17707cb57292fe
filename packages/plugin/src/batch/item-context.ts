import type { ToolContext } from '../tool-context.ts';
import type { ItemContext } from './batch-types.ts';
import type { ItemTry } from './run-item.ts';

/** What an item function gets. Its signal is looked up each time, for it is made when somebody asks. */
export function itemContext(
  { taskId, principal, log }: Pick<ToolContext, 'taskId' | 'principal' | 'log'>,
  index: number,
  tried: ItemTry,
): ItemContext {
  return {
    get signal() {
      return tried.signal;
    },
    index,
    attempt: tried.attempt,
    taskId,
    principal,
    log,
  };
}
