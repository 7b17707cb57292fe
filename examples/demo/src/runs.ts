import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';

/** In the directory that tools write to; hidden, so that no tool reads it. */
export const RUNS_FILE = '.demo-runs.jsonl';

/** Longest time between two saves of what came of quick items (docs/decisions/0019). */
const SAVE_EVERY_MS = 100;

const RunMark = z.object({
  /** Of the worker. */
  pid: z.int(),
  /** Id of the task that runs the item: of the chunk of the batch that it is in. */
  chunk: z.string(),
  item: z.string(),
  event: z.enum(['begin', 'end']),
  /** On the worker's own monotonic clock. */
  atMs: z.number(),
});
/** What a worker wrote down of one run of one item. */
export type RunMark = z.infer<typeof RunMark>;

export function readRuns(file: string): RunMark[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => RunMark.parse(JSON.parse(line)));
}

/** What ran how often, when one worker was killed. */
export interface RunCount {
  readonly items: number;
  readonly runs: number;
  readonly workers: number;
  /** Items that ran twice. */
  readonly repeated: number;
  /** Chunks of the killed worker that another one went on with. */
  readonly chunks: number;
  /** Most items that could have been repeated, by what these chunks had begun when they were lost. */
  readonly allowed: number;
  /** What is wrong, in sentences. */
  readonly problems: readonly string[];
}

interface Run {
  readonly item: string;
  readonly pid: number;
  readonly beganMs: number;
  /** Null: its worker was killed. */
  endedMs: number | null;
}

/**
 * Counts runs, and checks that only what may run twice did: items of chunks that the killed worker had, those
 * it began last in each, and of them as many as it can have run since it saved what came of the others. What
 * takes longer than 100 ms is saved before the next item begins, so all but the last one of these have ended
 * within 100 ms after the first began. That holds on any machine, however slow.
 */
export function countRuns(marks: readonly RunMark[], killedPid: number): RunCount {
  const chunks = runsByChunk(marks);
  const all = [...chunks.values()].flat();
  const runsOf = new Map<string, Run[]>();
  for (const run of all) runsOf.set(run.item, [...(runsOf.get(run.item) ?? []), run]);
  const repeated = new Set([...runsOf].filter(([, runs]) => runs.length > 1).map(([item]) => item));
  const problems: string[] = [];
  for (const item of repeated) {
    const pids = runsOf.get(item)?.map(({ pid }) => pid) ?? [];
    if (pids.length !== 2 || pids.filter((pid) => pid === killedPid).length !== 1) {
      problems.push(`${item} ran ${pids.length} times, at the workers ${pids.join(', ')}`);
    }
  }
  let lost = 0;
  let allowed = 0;
  for (const [chunk, runs] of chunks) {
    const atKilled = runs.filter(({ pid }) => pid === killedPid);
    if (atKilled.length === 0 || atKilled.length === runs.length) continue;
    lost += 1;
    const unsaved = unsavedAtMost(atKilled);
    allowed += unsaved.length;
    const last = new Set(unsaved.map(({ item }) => item));
    const tooOld = atKilled.filter(({ item }) => repeated.has(item) && !last.has(item));
    if (tooOld.length > 0) {
      problems.push(`chunk ${chunk} repeated ${tooOld.length} items that must have been saved`);
    }
  }
  return {
    items: runsOf.size,
    runs: all.length,
    workers: new Set(all.map(({ pid }) => pid)).size,
    repeated: repeated.size,
    chunks: lost,
    allowed,
    problems,
  };
}

/** Of each chunk, in the order they began at each worker. */
function runsByChunk(marks: readonly RunMark[]): Map<string, Run[]> {
  const chunks = new Map<string, Run[]>();
  for (const { chunk, pid, item, event, atMs } of marks) {
    const runs = chunks.get(chunk) ?? [];
    chunks.set(chunk, runs);
    if (event === 'begin') {
      runs.push({ item, pid, beganMs: atMs, endedMs: null });
      continue;
    }
    const run = runs.findLast((one) => one.item === item && one.pid === pid);
    if (run !== undefined) run.endedMs = atMs;
  }
  return chunks;
}

/** The longest end of the runs of a chunk that may all have been unsaved at once. */
function unsavedAtMost(runs: readonly Run[]): readonly Run[] {
  const beforeLast = runs.at(-2);
  if (beforeLast?.endedMs == null) return runs.slice(-1);
  const since = beforeLast.endedMs - SAVE_EVERY_MS;
  const first = runs.findIndex(({ beganMs }) => beganMs > since);
  return runs.slice(Math.min(first === -1 ? runs.length : first, runs.length - 1));
}
