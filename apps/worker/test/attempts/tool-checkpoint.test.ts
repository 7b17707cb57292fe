import { describe, expect, it } from '@jest/globals';
import { type AttemptStore, LongshoreError, silentLogger } from '@longshore/core';
import { OnDemand } from '../../src/attempts/on-demand.ts';
import { createToolContext } from '../../src/attempts/tool-context.ts';
import { AttemptInputs } from '../../src/inputs/attempt-inputs.ts';
import { noFiles, testAttempt, testBus, testServices, testStore } from '../bench/test-attempt.ts';

function setUp(methods: Partial<AttemptStore>) {
  const attempts = testStore(methods);
  const attempt = testAttempt();
  const { context } = createToolContext(attempt, {
    attempts,
    log: silentLogger,
    logFields: {},
    inputs: new OnDemand(
      () => new AttemptInputs(attempt, { attempts, bus: testBus(), log: silentLogger }),
      (inputs) => inputs.close(),
    ),
    files: noFiles(attempt),
    resourceUpdated: () => {},
    batchServices: testServices(),
    tool: null,
  });
  return { attempt, checkpoint: context.checkpoint };
}

/** Fails `times` times as a database does that restarts. */
function restarting<T>(times: number, answer: () => T): () => Promise<T> {
  let left = times;
  return async () => {
    left -= 1;
    if (left >= 0) throw new LongshoreError('DATABASE_UNAVAILABLE', 'it restarts');
    return answer();
  };
}

describe('checkpoints of a tool', () => {
  it('are read and saved when the database is back', async () => {
    const offered: unknown[] = [];
    const save = restarting(2, () => true);
    const { checkpoint } = setUp({
      getCheckpoint: restarting(2, () => 7),
      setCheckpoint: ({ attempt }, key, value) => {
        offered.push([attempt, key, value]);
        return save();
      },
    });
    expect(await checkpoint.get('step')).toBe(7);
    await checkpoint.set('step', 8);
    expect(offered).toEqual(Array.from({ length: 3 }, () => [1, 'step', 8]));
  });

  it('fail with the attempt when that is stopped while the database is away', async () => {
    const { attempt, checkpoint } = setUp({ getCheckpoint: restarting(1_000, () => null) });
    const reading = checkpoint.get('step');
    attempt.abort('lost');
    await expect(reading).rejects.toBe(attempt.signal.reason);
  });

  it('fail at once when trying again does not help', async () => {
    let calls = 0;
    const { checkpoint } = setUp({
      setCheckpoint: async () => {
        calls += 1;
        throw new LongshoreError('INTERNAL', 'a defect');
      },
    });
    await expect(checkpoint.set('step', 1)).rejects.toThrow('a defect');
    expect(calls).toBe(1);
  });

  it('are not saved by an attempt that is no longer the current one', async () => {
    const { attempt, checkpoint } = setUp({ setCheckpoint: async () => false });
    await expect(checkpoint.set('step', 1)).rejects.toThrow('not the current one');
    expect(attempt.abortReason).toBe('lost');
  });
});
