import { DEADLINE_ERROR, type Logger, type Outcome } from '@longshore/core';
import { isTracing, traced } from '@longshore/tracing';
import type { RequestHandler, RunScope } from '../requests/request-handler.ts';
import type { AbortReason } from '../run/running-attempt.ts';
import type { Attempt } from './attempt.ts';
import { startLongTimer } from './long-timer.ts';
import { runUntilAborted } from './run-until-aborted.ts';

/** How an attempt ended, before anything of it is written. */
export type Verdict =
  | { readonly kind: 'finish'; readonly outcome: Outcome }
  /** Another attempt may do better; `text` is the outcome when none is left. */
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'stopped'; readonly why: Exclude<AbortReason, 'timeout' | 'deadline'> };

export interface RunAttemptOptions {
  readonly scope: RunScope;
  readonly log: Logger;
  /** Fields of every log line about this attempt. */
  readonly logFields: object;
  /** Asked when the attempt is stopped: how long the tool has to return, in milliseconds. */
  readonly graceMs: () => number;
}

/**
 * Runs the tool, prompt or resource once and says what that means for the task.
 *
 * A tool that was stopped has its result ignored, whatever it returns: a loop that ended early because
 * its signal fired would otherwise pass for a complete one.
 */
export async function runAttempt(
  handler: RequestHandler,
  attempt: Attempt,
  options: RunAttemptOptions,
): Promise<Verdict> {
  const { scope, log, logFields } = options;
  const prepared = handler.prepare(attempt.claim.arguments);
  if (prepared.kind === 'refused') return { kind: 'finish', outcome: prepared.outcome };
  const stopWatching = watchLimits(attempt);
  const attributes = { 'gen_ai.tool.name': attempt.claim.toolName };
  const end = await runUntilAborted(
    () =>
      isTracing()
        ? traced(handler.noun, { attributes }, async () => prepared.run(scope))
        : prepared.run(scope),
    (stopped) => attempt.onAbort(stopped),
    options.graceMs,
    () => attempt.settle(),
    prepared.kill,
  );
  stopWatching();
  if (end.kind === 'killed') {
    log.warn(
      { ...logFields, why: attempt.abortReason },
      'tool ignored its signal: its thread was ended',
    );
  }
  if (end.kind === 'abandoned') {
    log.warn(
      { ...logFields, why: attempt.abortReason },
      'tool ignores its signal: its slot is given away while it still runs',
    );
  }
  const { abortReason } = attempt;
  if (abortReason === 'timeout') {
    return {
      kind: 'failed',
      text: `The ${handler.noun} did not finish within ${attempt.claim.timeoutMs} ms.`,
    };
  }
  if (abortReason === 'deadline') {
    return { kind: 'finish', outcome: { kind: 'error', error: DEADLINE_ERROR } };
  }
  if (abortReason !== null) return { kind: 'stopped', why: abortReason };
  if (end.kind === 'returned') return { kind: 'finish', outcome: prepared.outcomeOf(end.value) };
  const thrown = end.kind === 'threw' ? end.error : undefined;
  const failure = handler.failureOf(thrown);
  if (failure.kind === 'final') return { kind: 'finish', outcome: failure.outcome };
  log.warn({ ...logFields, err: thrown }, 'tool threw');
  return { kind: 'failed', text: failure.text };
}

/**
 * Stops the attempt when its time or the task's deadline is over. Its time stands still while it waits for
 * answers, the deadline does not.
 *
 * @returns ends the watch
 */
function watchLimits(attempt: Attempt): () => void {
  const { timeLimit } = attempt;
  const { deadline } = attempt.claim;
  timeLimit.start();
  if (deadline === null) return () => timeLimit.stop();
  const leftMs = deadline.getTime() - Date.now();
  const stopDeadline = startLongTimer(leftMs, () => attempt.abort('deadline'));
  return () => {
    timeLimit.stop();
    stopDeadline();
  };
}
