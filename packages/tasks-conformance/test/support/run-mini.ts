import type { CheckResult, Report, Status } from '../../src/run/report.ts';
import { type RunOptions, runConformance } from '../../src/run/run-conformance.ts';
import type { Behaviour } from '../faults/fault.ts';
import { MiniServer } from '../mini-server/mini-server.ts';

const CREDENTIALS = {
  headers: { authorization: 'Bearer somebody' },
  otherHeaders: { authorization: 'Bearer somebody else' },
};

/** Skipped where requests carry credentials: these are about servers that can not tell who asks. */
export const ONLY_WITHOUT_CREDENTIALS = ['tasks-id-entropy', 'tasks-list-undeclared'];

export interface MiniRun {
  readonly behaviour?: Behaviour;
  readonly credentials?: boolean;
  /** Time of one check; far more than any takes unless said. */
  readonly timeoutMs?: number;
  readonly more?: Partial<RunOptions>;
}

/** Runs all checks against a mini server of their own. */
export async function runMini(run: MiniRun = {}): Promise<Report> {
  const { behaviour = null, credentials = false, timeoutMs = 25_000, more } = run;
  const server = await MiniServer.start(behaviour);
  try {
    return await runConformance({
      url: server.url,
      timing: { taskMs: 150, settleMs: 80, timeoutMs },
      concurrency: 8,
      ...(credentials ? CREDENTIALS : {}),
      ...more,
    });
  } finally {
    await server.stop();
  }
}

/** Ids of the checks with a status, sorted. */
export function checksThat(results: readonly CheckResult[], status: Status): string[] {
  return results
    .filter((result) => result.status === status)
    .map(({ check }) => check)
    .sort();
}
