import type { RequirementId } from '../manifest/requirements.ts';
import { Skipped, Violation } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import { Scene, type SceneOptions } from '../scene/scene.ts';
import { declaresTasks, missingTool, requireTasks } from '../scene/server-facts.ts';
import { TOOL_ROLES } from '../scene/tool-roles.ts';
import { Deadline } from '../wire/deadline.ts';
import { WireError } from '../wire/wire-error.ts';

/** What a check saw. */
export type Seen =
  | { readonly kind: 'kept' }
  | { readonly kind: 'skipped'; readonly reason: string }
  /** Requirement null: the check's own. */
  | {
      readonly kind: 'broken';
      readonly requirement: RequirementId | null;
      readonly message: string;
    };

export interface Observation {
  readonly check: Check;
  readonly seen: Seen;
  readonly durationMs: number;
}

/** Runs one check within its time, and gives up what it has opened. */
export async function runCheck(
  check: Check,
  options: Omit<SceneOptions, 'signal'>,
  signal: AbortSignal,
): Promise<Observation> {
  const startedAt = performance.now();
  const done = (seen: Seen): Observation => ({
    check,
    seen,
    durationMs: Math.round(performance.now() - startedAt),
  });
  const deadline = new Deadline(signal, options.timing.timeoutMs);
  const scene = new Scene({ ...options, signal: deadline.signal });
  try {
    if (check.withoutTasks !== true) requireTasks(options.facts);
    const reason = whySkipped(check, options);
    if (reason !== null) return done({ kind: 'skipped', reason });
    await check.run(scene);
    return done({ kind: 'kept' });
  } catch (error) {
    signal.throwIfAborted();
    return done(whatWasSeen(error));
  } finally {
    deadline.clear();
    await scene.close();
  }
}

function whySkipped(check: Check, options: Omit<SceneOptions, 'signal'>): string | null {
  const { facts, toolNames } = options;
  for (const operation of check.operations ?? []) {
    if (!declaresTasks(facts.capabilities, operation)) {
      return `the server does not declare tasks.${operation}`;
    }
  }
  for (const role of check.needs) {
    const name = toolNames[role] ?? TOOL_ROLES[role].defaultName;
    const reason = missingTool(facts, role, name);
    if (reason !== null) return reason;
  }
  return null;
}

/** What is neither is a mistake of the runner, and thrown on. */
function whatWasSeen(error: unknown): Seen {
  if (error instanceof Skipped) return { kind: 'skipped', reason: error.message };
  if (error instanceof Violation) {
    return { kind: 'broken', requirement: error.requirement, message: error.message };
  }
  if (error instanceof WireError) {
    return { kind: 'broken', requirement: null, message: error.message };
  }
  throw error;
}
