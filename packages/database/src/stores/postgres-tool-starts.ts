import type { ToolRate, ToolStarts } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { takeToolStart } from '../statements/take-tool-start.ts';

/** The starts of an installation without Redis. */
export class PostgresToolStarts implements ToolStarts {
  readonly #runner: SqlRunner;

  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  async take(toolName: string, rate: ToolRate): Promise<number> {
    const endsInMs = await takeToolStart(this.#runner, toolName, rate);
    return endsInMs === null ? 0 : Math.max(1, endsInMs);
  }
}
