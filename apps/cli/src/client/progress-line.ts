import type { Job } from './jobs.ts';

/** Standard output or error: a terminal, or none. */
export type Output = NodeJS.WritableStream &
  Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'>>;

export interface ProgressState {
  readonly progress: number | null;
  readonly total: number | null;
  readonly message: string | null;
}

const BAR = 24;

/** What is seen for less says little of what is left. Milliseconds. */
const MIN_SAMPLE_MS = 2_000;

/** Shows how far a task is: on a terminal one line that changes, elsewhere a line for each change. */
export class ProgressLine {
  readonly #output: Output;
  readonly #now: () => number;
  #last = '';
  #progress = Number.NEGATIVE_INFINITY;
  /** The first progress that was seen: speed is measured from there on. */
  #from: { readonly progress: number; readonly at: number } | null = null;

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  show(state: ProgressState): void {
    this.#progress = state.progress ?? this.#progress;
    const text = describeProgress(state, this.#secondsLeft(state));
    const shown = this.#output.isTTY ? text : describeProgress(state, null);
    if (shown === '' || shown === this.#last) return;
    this.#last = shown;
    if (this.#output.isTTY) {
      // A terminal that does not say how wide it is has 0 columns.
      const columns = this.#output.columns || 80;
      this.#output.write(`\r\u001B[2K${shown.slice(0, columns - 1)}`);
    } else {
      this.#output.write(`${shown}\n`);
    }
  }

  /** Shows what the row of a task has, if it is more than was heard. */
  catchUp({ progress, total }: Pick<Job, 'progress' | 'total'>): void {
    if (progress === undefined || progress <= this.#progress) return;
    this.show({ progress, total: total ?? null, message: null });
  }

  /** A line of its own, above the progress. */
  say(text: string): void {
    this.clear();
    this.#output.write(`${text}\n`);
  }

  /** Takes the line away, so that others can write. */
  clear(): void {
    if (this.#output.isTTY && this.#last !== '') this.#output.write('\r\u001B[2K');
    this.#last = '';
  }

  #secondsLeft({ progress, total }: ProgressState): number | null {
    if (progress === null || total === null || progress >= total) return null;
    const at = this.#now();
    if (this.#from === null || progress < this.#from.progress) this.#from = { progress, at };
    const done = progress - this.#from.progress;
    const tookMs = at - this.#from.at;
    if (done <= 0 || tookMs < MIN_SAMPLE_MS) return null;
    return ((total - progress) * tookMs) / done / 1_000;
  }
}

/**
 * Without what moves a cursor: a tool’s message is anybody’s text.
 * @param secondsLeft null: not known
 */
export function describeProgress(
  { progress, total, message }: ProgressState,
  secondsLeft: number | null,
): string {
  const said = (message ?? '').replaceAll(/\p{Cc}+/gu, ' ').trim();
  if (progress === null) return said;
  const shown = Math.round(progress * 1_000) / 1_000;
  if (total === null || total <= 0) return `${shown} ${said}`.trimEnd();
  const ratio = Math.min(1, Math.max(0, progress / total));
  const done = Math.round(ratio * BAR);
  const bar = `${'#'.repeat(done)}${'-'.repeat(BAR - done)}`;
  const left = secondsLeft === null ? '' : ` ${describeSeconds(secondsLeft)} left`;
  return `[${bar}] ${Math.floor(ratio * 100)}% ${shown}/${total}${left} ${said}`.trimEnd();
}

/** `40 s`, `12 min`, `3 h 20 min`. */
export function describeSeconds(seconds: number): string {
  if (seconds < 100) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
