import type { FileHost, FileSink } from '@longshore/plugin/host';
import type { RunCall } from './thread-messages.ts';

export type FileCall = Extract<RunCall, { kind: `${string}-file` }>;

/** The worker's end of the files of a run in a thread. */
export class ServedFiles {
  readonly #open: FileHost['open'];
  readonly #sinks = new Map<number, FileSink>();
  #last = 0;

  constructor(open: FileHost['open']) {
    this.#open = open;
  }

  async answer(call: FileCall): Promise<unknown> {
    switch (call.kind) {
      case 'open-file': {
        const sink = await this.#open({ name: call.name, mimeType: call.mimeType });
        this.#last += 1;
        this.#sinks.set(this.#last, sink);
        return this.#last;
      }
      case 'write-file':
        return this.#sink(call.file).write(call.chunk);
      case 'close-file':
        return this.#sink(call.file).close();
      case 'abort-file':
        return this.#sink(call.file).abort();
    }
  }

  #sink(file: number): FileSink {
    const sink = this.#sinks.get(file);
    if (sink === undefined) throw new Error('the run has no such file');
    return sink;
  }
}
