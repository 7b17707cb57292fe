import { loadConfig } from '@longshore/config';
import {
  checkDatabase,
  checkDataDir,
  checkNode,
  checkPort,
  checkRedis,
  type Finding,
} from './checks.ts';

const MARKS = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' } as const;

/**
 * Checks everything, also after something was found.
 * @returns 1 when there is a problem
 */
export async function doctorCommand(options: {
  env: Readonly<Record<string, string | undefined>>;
  nodeVersion: string;
  isJson: boolean;
  print: (text: string) => void;
}): Promise<number> {
  const { env, nodeVersion, isJson, print } = options;
  const findings = [checkNode(nodeVersion), ...(await configured(env))];
  if (isJson) print(JSON.stringify(findings, null, 2));
  else for (const finding of findings) print(describe(finding));
  return findings.some(({ verdict }) => verdict === 'problem') ? 1 : 0;
}

async function configured(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  let config: ReturnType<typeof loadConfig>;
  try {
    config = loadConfig(env);
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    const fix = 'set these variables as the table in docs/configuration.md says';
    return [{ check: 'configuration', verdict: 'problem', found, fix }];
  }
  const [port, database, redis] = await Promise.all([
    checkPort(config),
    checkDatabase(config),
    checkRedis(config.REDIS_URL),
  ]);
  const variables: Finding = { check: 'configuration', verdict: 'ok', found: 'makes sense' };
  return [variables, checkDataDir(config.DATA_DIR), port, ...database, ...redis];
}

function describe({ check, verdict, found, fix }: Finding): string {
  const line = `${MARKS[verdict]} ${check}: ${found}`;
  return fix === undefined ? line : `${line}\n        fix: ${fix}`;
}
