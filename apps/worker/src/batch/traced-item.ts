import type { ItemEnd } from '@longshore/plugin/host';
import { isTracing, markFailed, traced } from '@longshore/tracing';

/** @param index of the item in its batch */
export function tracedItem(index: number, run: () => Promise<ItemEnd>): Promise<ItemEnd> {
  if (!isTracing()) return run();
  return traced('item', { attributes: { 'longshore.item': index } }, async () => {
    const end = await run();
    if (!end.ok) markFailed(end.error.code);
    return end;
  });
}
