import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GREEDS, type Greed, type GreedyTarget, startGreedyClient } from '@longshore/chaos';
import { waitFor } from '@longshore/testing';
import { ModernClient } from '@longshore/testing/mcp';
import pg from 'pg';
import { createKey } from './support/api-keys.ts';
import { FIXTURE_TOOLS, type Stack, startStack } from './support/stack.ts';

const FLOODING_TOOLS = path.join(import.meta.dirname, 'fixtures', 'flooding-tools.js');

/** Of the API's heap: a tenth of what the attacks needed to end it, or less. */
const HEAP_MIB = 256;
const RESULT_CHARACTERS = 3_000_000;
/** Calls of the neighbour, one after the other, at least. */
const CALLS = 40;
const ECHO = { name: 'echo', arguments: { text: 'meanwhile' } };
/**
 * How much longer a neighbour's call may take than when it is quiet. Attackers and other tests share its
 * processors, so it is not 1 (4 was seen on a busy machine); without the bounds it is 100, or calls fail.
 */
const MAX_RATIO = 50;

/**
 * One principal takes whatever it can get of an API with little memory, in all the ways in which one has been
 * brought down; another one goes on with its work.
 */
describe('a greedy client', () => {
  let stack: Stack;
  let neighbour: ModernClient;
  let target: GreedyTarget;

  beforeAll(async () => {
    stack = await startStack({
      mode: 'postgres',
      apis: 0,
      environment: {
        AUTH: 'api-key',
        PLUGINS: `${FIXTURE_TOOLS},${FLOODING_TOOLS}`,
        LOG_LEVEL: 'info',
        // Large answers go out whole.
        RESULT_INLINE_BYTES: '16777216',
        // Who reads nothing is cut after 2 s.
        KEEP_ALIVE_MS: '500',
      },
    });
    await stack.startApi({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` });
    const clientOf = async () => {
      const { key } = await createKey(stack);
      return { key, client: new ModernClient(stack.urls).withAuthorization(`Bearer ${key}`) };
    };
    neighbour = (await clientOf()).client;
    await waitFor(
      async () => JSON.stringify(await neighbour.result('tools/list')).includes('bulk'),
      { what: 'the catalogue is there' },
    );
    const { key, client } = await clientOf();
    const withTasks = client.withTasks();
    const taskId = await withTasks.startTask('bulk', { characters: RESULT_CHARACTERS });
    await waitFor(
      async () => (await withTasks.result('tasks/get', { taskId }))['status'] === 'completed',
      { what: 'the large result is there' },
    );
    const slow = { name: 'hang', arguments: {} };
    target = { url: stack.urls[0] ?? '', key, taskId, slow };
  });
  afterAll(() => stack.stop());

  /** @returns median of what the neighbour's calls take until then, in milliseconds */
  const medianUntil = async (isEnough: () => boolean): Promise<number> => {
    const taken: number[] = [];
    while (taken.length < CALLS || !isEnough()) {
      const from = performance.now();
      await neighbour.result('tools/list');
      taken.push(performance.now() - from);
    }
    return taken.toSorted((a, b) => a - b)[Math.floor(taken.length / 2)] ?? Number.NaN;
  };

  it.each(GREEDS.filter((greed) => greed !== 'seats'))(
    'does not keep others from their work: %s',
    async (greed: Greed) => {
      const quiet = await medianUntil(() => true);
      const greedy = startGreedyClient(greed, target);
      try {
        const beside = await medianUntil(() => greedy.isThrough);
        expect(beside / quiet).toBeLessThan(MAX_RATIO);
      } finally {
        await greedy.stop();
      }
      expect(stack.apis[0]?.isRunning()).toBe(true);
    },
    120_000,
  );

  it('gets its turn of a worker while tasks of others take all seats, and none of them has ended', async () => {
    const greedy = startGreedyClient('seats', target);
    try {
      await waitFor(() => greedy.isThrough, { what: 'there are more calls than seats' });
      for (let call = 0; call < 3; call += 1) await neighbour.result('tools/call', ECHO);
      const database = new pg.Client(stack.environment['DATABASE_URL']);
      await database.connect();
      const { rows } = await database.query(
        'SELECT FROM tasks WHERE tool_name = $1 AND finished_at IS NOT NULL',
        [target.slow.name],
      );
      await database.end();
      expect(rows).toEqual([]);
    } finally {
      await greedy.stop();
    }
  });
});
