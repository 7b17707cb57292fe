/** An item that is tried again, with its index in the batch it was first in. */
export class SourcedItem {
  readonly index: number;
  readonly item: unknown;

  constructor(index: number, item: unknown) {
    this.index = index;
    this.item = item;
  }
}
