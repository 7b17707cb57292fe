/**
 * A part of an attempt that most never use: made when it is first asked for, and closed with the attempt. What is asked for
 * later than that, by a tool that goes on, is closed from the start.
 */
export class OnDemand<Part> {
  readonly #make: () => Part;
  readonly #close: (part: Part) => void;
  #part: Part | null = null;
  #isClosed = false;

  constructor(make: () => Part, close: (part: Part) => void) {
    this.#make = make;
    this.#close = close;
  }

  /** Null: nobody has asked for it. */
  get made(): Part | null {
    return this.#part;
  }

  get(): Part {
    if (this.#part === null) {
      this.#part = this.#make();
      if (this.#isClosed) this.#close(this.#part);
    }
    return this.#part;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#part !== null) this.#close(this.#part);
  }
}
