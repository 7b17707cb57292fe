import { type Json, numberIn, recordIn, recordsIn, textIn } from '../state/json.ts';
import { PHASE_LOOKS } from '../state/looks.ts';

export interface Question {
  readonly key: string;
  readonly method: string;
  readonly params: Json;
}

/** Items of a batch. */
export interface Counts {
  readonly items: number;
  readonly done: number;
  readonly failed: number;
  /** The failed ones can be run again by name, now. */
  readonly runsAgain: boolean;
}

/** A job as job_status tells cards of it. */
export interface Job {
  readonly id: string;
  readonly tool: string;
  readonly phase: keyof typeof PHASE_LOOKS;
  readonly hasEnded: boolean;
  readonly done: number | null;
  readonly total: number | null;
  /** What the tool said last. */
  readonly words: string;
  readonly counts: Counts | null;
  readonly questions: readonly Question[];
  /** In ms, by the clock of the server. */
  readonly tookMs: number;
  /** Its page in the dashboard; null: the server does not know its own address. */
  readonly link: string | null;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** What it knows nothing of it leaves out: the server may be of another version. */
export function readJob(told: Json): Job | null {
  const facts = recordIn(told, 'job');
  const id = textIn(facts, 'task_id');
  if (facts === null || id === null) return null;
  const status = textIn(facts, 'status') ?? 'working';
  const working = textIn(facts, 'phase') === 'running' ? 'running' : 'waiting';
  const phase = (status === 'working' ? working : status) as Job['phase'];
  const counts = recordIn(told, 'counts');
  const at = (name: string): number => Date.parse(textIn(facts, name) ?? '');
  const since =
    (ENDED.has(status) ? at('updated_at') : Date.parse(textIn(told, 'now') ?? '')) -
    at('created_at');
  return {
    id,
    tool: textIn(told, 'title') ?? textIn(facts, 'tool') ?? '',
    phase: Object.hasOwn(PHASE_LOOKS, phase) ? phase : 'waiting',
    hasEnded: ENDED.has(status),
    done: numberIn(facts, 'progress'),
    total: numberIn(facts, 'total'),
    // Of items the counts say the same, and say it now.
    words:
      counts !== null && phase !== 'failed'
        ? ''
        : (textIn(facts, 'status_message') ?? textIn(told, 'message') ?? ''),
    counts: counts === null ? null : readCounts(counts),
    questions: recordsIn(told, 'questions').map((question) => ({
      key: textIn(question, 'question') ?? '',
      method: textIn(question, 'method') ?? '',
      params: recordIn(question, 'params') ?? {},
    })),
    tookMs: Number.isFinite(since) ? Math.max(0, since) : 0,
    link: textIn(told, 'link'),
  };
}

const readCounts = (counts: Json): Counts => ({
  items: numberIn(counts, 'items') ?? 0,
  done: numberIn(counts, 'done') ?? 0,
  failed: numberIn(counts, 'failed') ?? 0,
  runsAgain: counts['runs_again'] === true,
});
