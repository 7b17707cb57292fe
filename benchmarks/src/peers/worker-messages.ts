/**
 * The worker's side of an engine's two orders: `{ goal }`, to say `{ done }` when so many more jobs have run, and
 * `{ each: true }`, to say of each which one `{ ended }`.
 */
export class WorkerMessages {
  #goal: number | null = null;
  #isEach = false;
  #done = 0;

  /** @param onOrder called with each order, before it is obeyed */
  constructor(onOrder: () => unknown = () => undefined) {
    process.on('message', (message) => {
      if (typeof message !== 'object' || message === null) return;
      onOrder();
      if ('each' in message) this.#isEach = true;
      if (!('goal' in message)) return;
      this.#done = 0;
      this.#goal = Number(message.goal);
    });
  }

  /** @returns whether that was the last one of the goal */
  ran(id: unknown): boolean {
    this.#done += 1;
    if (this.#isEach) process.send?.({ ended: id });
    if (this.#done !== this.#goal) return false;
    process.send?.({ done: this.#done });
    return true;
  }
}
