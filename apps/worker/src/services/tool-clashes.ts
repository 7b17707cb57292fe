import type { CatalogueStore, Logger } from '@longshore/core';
import { within } from '../run/store-call.ts';

export interface ToolClashesOptions {
  readonly catalogue: Pick<CatalogueStore, 'differing'>;
  /** Names of the tools this worker offers. */
  readonly tools: readonly string[];
  /** A worker silent for this long offers nothing any more, in milliseconds. */
  readonly leaseMs: number;
  readonly log: Logger;
}

const TIMEOUT_MS = 10_000;

/**
 * Warns when another plugin than ours offers a tool of the same name: clients see that of the worker that started
 * last, and while both have the same schemas either may run a call. Other versions of the same plugin are an upgrade, and
 * nothing to warn of. Never rejects: it is a word to the operator.
 */
export async function warnOfClashes(options: ToolClashesOptions): Promise<void> {
  const { catalogue, tools, leaseMs, log } = options;
  try {
    const differing = await within(TIMEOUT_MS, catalogue.differing(leaseMs), 'comparing tools');
    for (const { name, plugins } of differing) {
      if (plugins.length === 1 || !tools.includes(name)) continue;
      log.warn(
        { tool: name, plugins },
        `two plugins offer a tool '${name}', and clients see one of them: rename one, or load only one`,
      );
    }
  } catch (err) {
    log.debug({ err }, 'tools of other workers could not be compared');
  }
}
