export interface ProgressState {
  readonly progress: number | null;
  readonly total: number | null;
  readonly message: string | null;
}

const BAR = 24;

/** Shows how far a task is: on a terminal one line that changes, elsewhere a line for each change. */
export class ProgressLine {
  readonly #output: NodeJS.WriteStream;
  #last = '';

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
  }

  show(state: ProgressState): void {
    const text = describeProgress(state);
    if (text === '' || text === this.#last) return;
    this.#last = text;
    if (this.#output.isTTY) {
      // A terminal that does not say how wide it is has 0 columns.
      const columns = this.#output.columns || 80;
      this.#output.write(`\r\u001B[2K${text.slice(0, columns - 1)}`);
    } else {
      this.#output.write(`${text}\n`);
    }
  }

  /** Takes the line away, so that others can write. */
  clear(): void {
    if (this.#output.isTTY && this.#last !== '') this.#output.write('\r\u001B[2K');
    this.#last = '';
  }
}

/** Without what moves a cursor: a tool’s message is anybody’s text. */
export function describeProgress({ progress, total, message }: ProgressState): string {
  const said = (message ?? '').replaceAll(/\p{Cc}+/gu, ' ').trim();
  if (progress === null) return said;
  if (total === null || total <= 0) return `${progress} ${said}`.trimEnd();
  const ratio = Math.min(1, Math.max(0, progress / total));
  const done = Math.round(ratio * BAR);
  const bar = `${'#'.repeat(done)}${'-'.repeat(BAR - done)}`;
  return `[${bar}] ${Math.floor(ratio * 100)}% ${progress}/${total} ${said}`.trimEnd();
}
