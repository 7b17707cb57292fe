import type { CatalogueStore, Claim, Logger } from '@longshore/core';
import { within } from '../run/store-call.ts';

export interface ToolVersionsOptions {
  readonly catalogue: Pick<CatalogueStore, 'versionToRun'>;
  /** A worker silent for this long offers nothing any more, in milliseconds. */
  readonly leaseMs: number;
  readonly log: Logger;
}

const TIMEOUT_MS = 10_000;

/**
 * Decides who runs a task while workers offer different versions of its tool: the version it was accepted for,
 * for that one's schema its arguments were checked against. When no worker has that one any more the newest
 * does, which checks the arguments itself, so that nothing waits for what will not come back.
 */
export class ToolVersions {
  readonly #options: ToolVersionsOptions;

  constructor(options: ToolVersionsOptions) {
    this.#options = options;
  }

  /**
   * Never rejects: while the database does not say, the task is left to the others.
   *
   * @param own fingerprint of the tool as this worker has it
   */
  async isOurs(claim: Claim, own: string | null): Promise<boolean> {
    const { taskId, toolName, toolFingerprint } = claim;
    if (toolFingerprint === null || toolFingerprint === own) return true;
    const { catalogue, leaseMs, log } = this.#options;
    try {
      const running = await within(
        TIMEOUT_MS,
        catalogue.versionToRun(toolName, toolFingerprint, leaseMs),
        'looking for the version of a tool',
      );
      return running === null || running === own;
    } catch (err) {
      log.warn({ taskId, tool: toolName, err }, 'which version runs a task could not be read');
      return false;
    }
  }
}
