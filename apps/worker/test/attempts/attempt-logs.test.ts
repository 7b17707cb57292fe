import { describe, expect, it } from '@jest/globals';
import { type LogMessage, LongshoreError, silentLogger } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { AttemptLogs, LOG_LIMIT } from '../../src/attempts/attempt-logs.ts';
import { gate } from '../bench/doubles.ts';
import { testAttempt, testBus, testStore } from '../bench/test-attempt.ts';

function setUp(
  append: (batch: readonly LogMessage[]) => Promise<boolean> = async () => true,
  logLevel: 'debug' | 'warning' | null = 'debug',
) {
  const batches: (readonly LogMessage[])[] = [];
  const bus = testBus();
  const warnings: string[] = [];
  const logs = new AttemptLogs(testAttempt({ logLevel }).claim, {
    attempts: testStore({
      appendLogs: async (_fence, messages) => {
        batches.push(messages);
        return append(messages);
      },
    }),
    bus,
    log: { ...silentLogger, warn: (_fields, message) => void warnings.push(message) },
  });
  return { logs, batches, bus, warnings };
}

const data = (batches: readonly (readonly LogMessage[])[]) =>
  batches.map((batch) => batch.map((message) => message.data));

describe('AttemptLogs', () => {
  it('keeps messages in batches, and says each time that there are some', async () => {
    const { logs, batches, bus } = setUp();
    logs.write('info', 'one', {});
    logs.write('error', 'two', { n: 1 });
    await waitFor(() => batches.length === 1, { what: 'the batch is written' });
    logs.write('debug', 'three', {});
    await logs.finish();
    expect(batches).toEqual([
      [
        { level: 'info', logger: 'tool', data: 'one' },
        { level: 'error', logger: 'tool', data: { n: 1, message: 'two' } },
      ],
      [{ level: 'debug', logger: 'tool', data: 'three' }],
    ]);
    expect(bus.published).toHaveLength(2);
    expect(bus.published[0]).toMatchObject({ kind: 'logged' });
  });

  it('keeps what is at the level or above, and nothing without one', async () => {
    const some = setUp(undefined, 'warning');
    for (const level of ['debug', 'notice', 'warning', 'alert'] as const) {
      some.logs.write(level, level, {});
    }
    await some.logs.finish();
    expect(data(some.batches)).toEqual([['warning', 'alert']]);
    const none = setUp(undefined, null);
    none.logs.write('emergency', 'x', {});
    await none.logs.finish();
    expect(none.batches).toEqual([]);
  });

  it('finishes only when the batch under way is written as well', async () => {
    const held = gate();
    const { logs, batches } = setUp(async () => {
      await held.promise;
      return true;
    });
    logs.write('info', 'one', {});
    await waitFor(() => batches.length === 1, { what: 'the batch is being written' });
    let isFinished = false;
    const finished = logs.finish().then(() => {
      isFinished = true;
    });
    await new Promise((resolve) => void setImmediate(resolve));
    expect(isFinished).toBe(false);
    held.open();
    await finished;
  });

  it('ends after a thousand messages, and says so in the last one', async () => {
    const { logs, batches } = setUp();
    for (let n = 0; n < LOG_LIMIT + 5; n += 1) logs.write('info', `${n}`, {});
    await logs.finish();
    const all = batches.flat();
    expect(all).toHaveLength(LOG_LIMIT);
    expect(all.at(-2)?.data).toBe(`${LOG_LIMIT - 2}`);
    expect(all.at(-1)).toMatchObject({ level: 'warning', data: expect.stringMatching(/no more/) });
  });

  it('leaves out fields that JSON can not hold, or that are too long', async () => {
    const { logs, batches } = setUp();
    logs.write('info', 'big', { n: 1n });
    logs.write('info', 'long', { text: 'x'.repeat(20_000) });
    await logs.finish();
    expect(data(batches)).toEqual([['big', 'long']]);
  });

  it('loses messages rather than the attempt when the database is away', async () => {
    const { logs, warnings, batches } = setUp(() =>
      Promise.reject(new LongshoreError('DATABASE_UNAVAILABLE', 'away')),
    );
    logs.write('info', 'x', {});
    await logs.finish();
    expect(batches).toHaveLength(1);
    expect(warnings).toEqual(['log messages for the client are lost']);
  });

  it('writes nothing more once the attempt is replaced or the rest is discarded', async () => {
    const replaced = setUp(async () => false);
    replaced.logs.write('info', 'x', {});
    await waitFor(() => replaced.batches.length === 1, { what: 'the batch is refused' });
    replaced.logs.write('info', 'y', {});
    await replaced.logs.finish();
    expect(replaced.batches).toHaveLength(1);
    expect(replaced.bus.published).toEqual([]);
    const discarded = setUp();
    discarded.logs.write('info', 'x', {});
    discarded.logs.discard();
    await discarded.logs.finish();
    expect(discarded.batches).toEqual([]);
  });
});
