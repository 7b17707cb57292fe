import type { Config } from '@longshore/config';
import { EXIT } from '../client/cli-error.ts';
import { runCheck } from './check-process.ts';
import { describeReport } from './describe-report.ts';
import { countFindings } from './plugin-report.ts';
import { pluginTarget } from './plugin-target.ts';

export interface CheckCommandOptions {
  /** A path or the name of a package. */
  readonly word: string;
  readonly isJson: boolean;
  /** Whether warnings count as errors. */
  readonly isStrict: boolean;
  readonly currentDirectory: string;
  readonly config: Config;
  /** Absolute path of the program that checks. */
  readonly entry: string;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * @returns 0: a worker loads it; 1: it does not, or an example does not fit
 * @throws {CliError} there is no such path
 */
export async function checkCommand(options: CheckCommandOptions): Promise<number> {
  const { word, isJson, isStrict, currentDirectory, config, entry, print, signal } = options;
  const { specifier } = pluginTarget(word, currentDirectory);
  const report = await runCheck({ entry, specifier, currentDirectory, config, signal });
  const { errors, warnings } = countFindings(report);
  const isOk = errors === 0 && !(isStrict && warnings > 0);
  if (isJson) print(JSON.stringify({ ok: isOk, errors, warnings, ...report }, null, 2));
  else for (const line of describeReport(report, word, currentDirectory)) print(line);
  return isOk ? 0 : EXIT.failed;
}
