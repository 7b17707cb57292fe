import { ToolError } from '@longshore/plugin';

/** A batch is over MAX_BATCH_ITEMS. It fails the tool at once: another attempt has as many. */
export class TooManyItems extends ToolError {
  /** What an item fails with that maps over too many itself. */
  readonly code = 'TOO_MANY_ITEMS';

  /** @param count of the items; null: more than `max`, not known how many */
  constructor(count: number | null, max: number) {
    const many =
      count === null
        ? `more than ${max} items (MAX_BATCH_ITEMS)`
        : `${count} items, ${max} at most (MAX_BATCH_ITEMS)`;
    super(`the batch has ${many}: make several of it`);
  }
}
