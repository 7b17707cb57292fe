import { ALL_CHECKS } from '../checks/all-checks.ts';
import { Violation } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import { askServer, type ServerFacts } from '../scene/server-facts.ts';
import { DEFAULT_TIMING, type Timing } from '../scene/timing.ts';
import type { ToolRoleName } from '../scene/tool-roles.ts';
import { Deadline } from '../wire/deadline.ts';
import { HttpEndpoint } from '../wire/http-endpoint.ts';
import { WireError } from '../wire/wire-error.ts';
import { type CheckResult, countStatuses, judge, type Report } from './report.ts';
import { type Observation, runCheck } from './run-check.ts';

const DEFAULT_CONCURRENCY = 4;
const LONGEST_RUN_MS = 3_600_000;

export interface RunOptions {
  /** URL of the MCP endpoint. */
  readonly url: string;
  /** Sent with every request, such as credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Credentials of somebody else, for what must be kept apart. */
  readonly otherHeaders?: Readonly<Record<string, string>>;
  /** Names of the server's tools where they are not those of `TOOL_ROLES`. */
  readonly tools?: Partial<Record<ToolRoleName, string>>;
  /** Ids of checks or requirements; all unless given. */
  readonly only?: readonly string[];
  readonly timing?: Partial<Timing>;
  /** Checks at the same time; 4 unless said. */
  readonly concurrency?: number;
  readonly strict?: boolean;
  readonly requireAll?: boolean;
  readonly signal?: AbortSignal;
  /** Called when a check is over, with its id. */
  readonly onProgress?: (checkId: string, done: number, all: number) => void;
}

/**
 * Checks a server against the requirements of core tasks. Everything it creates it cancels or leaves to
 * its ttl of ten minutes.
 *
 * @throws {WireError} when the server can not be talked to
 * @throws {RangeError} when `only` names what there is not
 * @throws the reason of `signal` when it fires
 */
export async function runConformance(options: RunOptions): Promise<Report> {
  const whole = new Deadline(options.signal ?? new AbortController().signal, LONGEST_RUN_MS);
  try {
    return await runWithin(options, whole.signal);
  } finally {
    whole.clear();
  }
}

async function runWithin(options: RunOptions, signal: AbortSignal): Promise<Report> {
  const startedAt = performance.now();
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const checks = chooseChecks(options.only);
  const endpoint = new HttpEndpoint(options.url, options.headers ?? {});
  const { otherHeaders } = options;
  const facts = await firstContact(endpoint, signal, timing.timeoutMs);
  const sceneOptions = {
    endpoint,
    otherEndpoint: otherHeaders === undefined ? null : new HttpEndpoint(options.url, otherHeaders),
    facts,
    toolNames: options.tools ?? {},
    timing,
  };
  let done = 0;
  const observations = await inTurns(
    checks,
    options.concurrency ?? DEFAULT_CONCURRENCY,
    async (check): Promise<Observation> => {
      const observation = await runCheck(check, sceneOptions, signal);
      done += 1;
      options.onProgress?.(check.id, done, checks.length);
      return observation;
    },
  );
  const results: CheckResult[] = judge(observations, {
    strict: options.strict ?? false,
    requireAll: options.requireAll ?? false,
  });
  const counts = countStatuses(results);
  return {
    url: options.url,
    server: facts.server,
    protocolVersion: facts.version,
    durationMs: Math.round(performance.now() - startedAt),
    passed: counts.failed === 0,
    counts,
    results,
  };
}

async function firstContact(
  endpoint: HttpEndpoint,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<ServerFacts> {
  const deadline = new Deadline(signal, timeoutMs);
  try {
    return await askServer(endpoint, deadline.signal);
  } catch (error) {
    // Nobody has been found wrong yet: there is nothing to be said of the server.
    throw error instanceof Violation ? new WireError(error.message) : error;
  } finally {
    deadline.clear();
  }
}

function chooseChecks(only: readonly string[] | undefined): readonly Check[] {
  if (only === undefined) return ALL_CHECKS;
  const unknown = only.filter(
    (id) => !ALL_CHECKS.some((check) => check.id === id || check.verifies === id),
  );
  if (unknown.length > 0) throw new RangeError(`no check for ${unknown.join(', ')}`);
  return ALL_CHECKS.filter(({ id, verifies }) => only.includes(id) || only.includes(verifies));
}

/** Works on `limit` inputs at a time; outputs in the order of the inputs. */
async function inTurns<Input, Output>(
  inputs: readonly Input[],
  limit: number,
  work: (input: Input) => Promise<Output>,
): Promise<Output[]> {
  const outputs: Output[] = [];
  const queue = inputs.entries();
  const worker = async (): Promise<void> => {
    for (const [index, input] of queue) outputs[index] = await work(input);
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return outputs;
}
