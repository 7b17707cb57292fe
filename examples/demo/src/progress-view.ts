import { MultiBar, type SingleBar } from 'cli-progress';
import type { Progress } from './task-client.ts';

/** Shows what the tasks are doing. */
export interface ProgressView {
  /** @param steps lines that a view without bars writes on the way */
  begin(label: string, steps?: number): void;
  progress(label: string, progress: Progress): void;
  end(label: string, status: string): void;
  /** Writes a line of text. */
  note(text: string): void;
  stop(): void;
}

export function createProgressView(output: NodeJS.WriteStream): ProgressView {
  return output.isTTY ? new Bars(output) : new Lines(output);
}

const LABEL_WIDTH = 34;

/** A live bar per task, for a terminal. */
class Bars implements ProgressView {
  readonly #multi: MultiBar;
  readonly #bars = new Map<string, SingleBar>();

  constructor(output: NodeJS.WriteStream) {
    this.#multi = new MultiBar({
      stream: output,
      format: `  {label} {bar} {percentage}%  {note}`,
      barsize: 24,
      barCompleteChar: '█',
      barIncompleteChar: '░',
      hideCursor: true,
      clearOnComplete: false,
      autopadding: true,
    });
  }

  begin(label: string): void {
    this.#bars.set(
      label,
      this.#multi.create(100, 0, { label: label.padEnd(LABEL_WIDTH), note: 'working' }),
    );
  }

  progress(label: string, { progress, total, message }: Progress): void {
    const percent =
      total === undefined || total === 0 ? 0 : Math.min(100, (progress / total) * 100);
    this.#bars.get(label)?.update(Math.floor(percent), { note: message ?? 'working' });
  }

  end(label: string, status: string): void {
    const bar = this.#bars.get(label);
    if (status === 'completed') bar?.update(100, { note: status });
    else bar?.update({ note: status });
  }

  note(text: string): void {
    this.#multi.log(`${text}\n`);
  }

  stop(): void {
    this.#multi.stop();
  }
}

/** Plain lines: one when a task moved on by a step, a quarter unless said otherwise, one at its end. */
class Lines implements ProgressView {
  readonly #output: NodeJS.WriteStream;
  readonly #tasks = new Map<string, { readonly steps: number; shown: number }>();

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
  }

  begin(label: string, steps = 4): void {
    this.#tasks.set(label, { steps, shown: 0 });
    this.#write(label, 'working');
  }

  progress(label: string, { progress, total, message }: Progress): void {
    const task = this.#tasks.get(label);
    if (task === undefined || total === undefined || total === 0) return;
    const step = Math.floor((progress / total) * task.steps);
    if (step <= task.shown) return;
    task.shown = step;
    this.#write(
      label,
      `${Math.floor((progress / total) * 100)}%${message === undefined ? '' : `  ${message}`}`,
    );
  }

  end(label: string, status: string): void {
    this.#write(label, status);
  }

  note(text: string): void {
    this.#output.write(`${text}\n`);
  }

  stop(): void {}

  #write(label: string, text: string): void {
    this.#output.write(`  ${label.padEnd(LABEL_WIDTH)} ${text}\n`);
  }
}
