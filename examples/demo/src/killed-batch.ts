import assert from 'node:assert/strict';
import path from 'node:path';
import * as z from 'zod';
import { LETTERS_FILE, type LetterFacts, letterPath } from './make-letters.ts';
import type { ProgressView } from './progress-view.ts';
import { countRuns, RUNS_FILE, type RunCount, readRuns } from './runs.ts';
import type { Progress, TaskClient } from './task-client.ts';

/** Lines of a view that shows no bars. */
const STEPS = 10;

const Result = z.object({
  total: z.int(),
  done: z.int(),
  failed: z.int(),
  skipped: z.int(),
  results: z.array(
    z.object({
      index: z.int(),
      ok: z.boolean(),
      attempts: z.int(),
      value: z.looseObject({ total: z.looseObject({ words: z.int() }) }),
    }),
  ),
  not_shown: z.int(),
});

export interface KilledBatch {
  readonly client: TaskClient;
  readonly view: ProgressView;
  readonly facts: LetterFacts;
  /** DATA_DIR of the server. */
  readonly dataDirectory: string;
  readonly say: (text: string) => void;
}

/** A batch of letters to count, whose worker is killed when half of them are through. */
export class KilledBatchRun {
  readonly #options: KilledBatch;
  readonly #label: string;
  readonly #total: number;
  readonly #runsFile: string;
  #through = 0;
  #killed: { readonly pid: number; readonly through: number } | null = null;
  #stepsAfterKill = 0;
  #problem: unknown = null;

  constructor(options: KilledBatch) {
    this.#options = options;
    this.#total = options.facts.words.length;
    this.#label = `count ${this.#total} letters`;
    this.#runsFile = path.join(options.dataDirectory, 'files', RUNS_FILE);
  }

  /** Takes the progress of the batch's task. */
  onProgress(progress: Progress): void {
    this.#through = progress.progress;
    if (this.#killed !== null && this.#through > this.#killed.through) this.#stepsAfterKill += 1;
    // While it reads its items, the batch does not know how many there are.
    this.#options.view.progress(this.#label, { ...progress, total: this.#total });
    if (this.#killed === null && this.#through >= this.#total / 2) this.#kill();
  }

  /** @throws when an item is missing, has failed, or ran again without need */
  async run(): Promise<void> {
    const { client, view, say } = this.#options;
    view.begin(this.#label, STEPS);
    const args = { tool: 'text_count', items_from: LETTERS_FILE, result_mode: 'all' };
    const taskId = await client.submit('batch', args, this.#label);
    const result = await client.result(taskId);
    const { status } = await client.status(taskId);
    view.end(this.#label, status);
    view.stop();
    if (this.#problem !== null) throw this.#problem;
    assert.equal(status, 'completed', JSON.stringify(result.content).slice(0, 500));
    const outcome = Result.parse(result.structuredContent);
    const counted = this.#check(outcome);
    for (const line of report(outcome, counted)) say(line);
    assert.deepEqual(counted.problems, []);
  }

  get label(): string {
    return this.#label;
  }

  #kill(): void {
    try {
      const pid = readRuns(this.#runsFile).at(-1)?.pid;
      assert.ok(pid !== undefined, 'no worker has written down what it runs');
      process.kill(pid, 'SIGKILL');
      this.#killed = { pid, through: this.#through };
      this.#options.view.note(
        `  worker ${pid} killed (SIGKILL) when ${this.#through} of ${this.#total} were through; what it had comes back when its lease is over`,
      );
    } catch (error) {
      this.#problem ??= error;
    }
  }

  #check({ total, done, failed, skipped, results, not_shown }: z.infer<typeof Result>): RunCount {
    const { words } = this.#options.facts;
    assert.deepEqual([total, done, failed, skipped], [this.#total, this.#total, 0, 0]);
    assert.equal(results.length + not_shown, this.#total);
    for (const [position, { index, ok, attempts, value }] of results.entries()) {
      assert.deepEqual(
        [index, ok, attempts, value.total.words],
        [position, true, 1, words[position]],
      );
    }
    assert.ok(this.#killed !== null, 'no worker was killed');
    assert.ok(this.#stepsAfterKill > 0, 'the progress did not go on');
    const letters = new Set(words.map((_count, index) => letterPath(index)));
    const marks = readRuns(this.#runsFile).filter(({ item }) => letters.has(item));
    const counted = countRuns(marks, this.#killed.pid);
    assert.equal(counted.items, this.#total);
    assert.equal(counted.runs, counted.items + counted.repeated);
    assert.ok(counted.workers >= 2, 'one worker ran everything');
    assert.ok(counted.repeated <= counted.allowed);
    return counted;
  }
}

function report(
  { total, done, failed }: z.infer<typeof Result>,
  { runs, repeated, chunks, allowed, workers }: RunCount,
): string[] {
  return [
    `  ${total} items: ${done} done, ${failed} failed, each with one outcome`,
    `  ${runs} runs at ${workers} workers: ${repeated} items ran twice, of ${chunks} chunks that the killed worker had under way;`,
    `  ${allowed} were allowed to, being what it had begun in each of these within 0.1 s (docs/decisions/0019)`,
  ];
}
