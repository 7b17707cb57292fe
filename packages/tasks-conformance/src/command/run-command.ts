import type { Report } from '../run/report.ts';
import { type RunOptions, runConformance } from '../run/run-conformance.ts';
import { WireError } from '../wire/wire-error.ts';
import { parseCommandLine, USAGE } from './command-line.ts';
import { listRequirements, reportTable, requirementTable } from './table.ts';

/** Where the command writes. */
export interface CommandOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether a person watches standard error. */
  readonly isWatched: boolean;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * The command without its process.
 * @returns the exit code: 0 nothing failed, 1 something failed, 2 it could not be run
 */
export async function runCommand(args: readonly string[], output: CommandOutput): Promise<number> {
  const line = parseCommandLine(args);
  switch (line.kind) {
    case 'help':
      output.out(USAGE);
      return 0;
    case 'mistake':
      output.err(`mcp-tasks-conformance: ${line.message}\n\n${USAGE}`);
      return 2;
    case 'list':
      output.out(line.json ? json(listRequirements()) : requirementTable());
      return 0;
    case 'run': {
      const report = await runOrExplain(line.options, output);
      if (report === null) return 2;
      output.out(line.json ? json(report) : reportTable(report));
      return report.passed ? 0 : 1;
    }
  }
}

async function runOrExplain(options: RunOptions, output: CommandOutput): Promise<Report | null> {
  const clearLine = output.isWatched ? '\r\u001b[K' : '';
  const onProgress = (id: string, done: number, all: number): void => {
    if (output.isWatched) output.err(`${clearLine}${done}/${all} ${id}`);
  };
  try {
    const report = await runConformance({ ...options, onProgress });
    output.err(clearLine);
    return report;
  } catch (error) {
    if (!(error instanceof WireError || error instanceof RangeError)) throw error;
    output.err(`${clearLine}mcp-tasks-conformance: ${error.message}\n`);
    return null;
  }
}
