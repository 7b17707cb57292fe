/**
 * The order in which every statement over several tasks locks them, so that two of them never wait for
 * each other in a circle.
 */
export function inIdOrder<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => {
    if (a.id === b.id) return 0;
    return a.id < b.id ? -1 : 1;
  });
}
