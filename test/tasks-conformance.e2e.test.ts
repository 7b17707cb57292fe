import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithRedis, type Mode, waitFor } from '@longshore/testing';
import { WireClient } from '@longshore/testing/mcp';
import { ALL_CHECKS } from '../packages/tasks-conformance/src/checks/all-checks.ts';
import {
  type Report,
  runConformance,
  TOOL_ROLES,
} from '../packages/tasks-conformance/src/index.ts';
import { RoundRobin } from './support/round-robin.ts';
import { type Stack, startStack } from './support/stack.ts';

const TOOLS = path.join(import.meta.dirname, 'fixtures', 'conformance-tools.js');

/** About resumable streams, which a server may have. */
const MAY_BE_SKIPPED = ['transport-event-ids-unique', 'transport-replay-own-stream'];

/** The checks in some parts of a few seconds each. */
const PARTS = [0, 1, 2, 3].map((part) =>
  ALL_CHECKS.map(({ id }) => id).filter((_id, index) => index % 4 === part),
);

const findings = ({ results }: Report): string[] =>
  results
    .filter(({ status }) => status === 'failed' || status === 'warning')
    .map(({ check, message }) => `${check}: ${message}`);

const unexpectedSkips = ({ results }: Report): string[] =>
  results
    .filter(({ status, check }) => status === 'skipped' && !MAY_BE_SKIPPED.includes(check))
    .map(({ check, message }) => `${check}: ${message}`);

function conformance(mode: Mode): void {
  let stack: Stack;
  let balancer: RoundRobin;

  beforeAll(async () => {
    stack = await startStack({
      mode,
      apis: 2,
      workers: 2,
      environment: { PLUGINS: TOOLS, ANONYMOUS_PRINCIPAL: 'session' },
    });
    for (const url of stack.urls) {
      const client = new WireClient(url);
      await client.initialize();
      await waitFor(
        async () => {
          const { tools } = await client.result('tools/list');
          return JSON.stringify(tools).includes(TOOL_ROLES.slow.defaultName);
        },
        { what: 'the catalogue is there' },
      );
    }
    balancer = await RoundRobin.start(stack.urls);
  });
  afterAll(async () => {
    await balancer.stop();
    await stack.stop();
  });

  it.each(PARTS)('has the tasks of the specification, part %#', async (...only) => {
    const report = await runConformance({
      url: balancer.url,
      only,
      timing: { taskMs: 500, settleMs: 300 },
      // Mostly they wait.
      concurrency: 8,
    });
    expect(findings(report)).toEqual([]);
    expect(unexpectedSkips(report)).toEqual([]);
    expect(balancer.counts.every((count) => count > 0)).toBe(true);
  });
}

describeWithRedis('two APIs with Redis, each request to the next one', () => {
  conformance('redis');
});
describe('two APIs on Postgres alone, each request to the next one', () => {
  conformance('postgres');
});
