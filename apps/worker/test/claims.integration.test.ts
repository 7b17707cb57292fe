import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LongshoreError, silentLogger, type WorkerId } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { describeWithRedis, type Mode, waitFor } from '@longshore/testing';
import { startPostgresTap } from '@longshore/testing/network';
import pg from 'pg';
import { aborted, forEver, gate, over, tool } from './bench/doubles.ts';
import { WorkerBench } from './bench/worker-bench.ts';

const tests = (mode: Mode) => () => {
  let bench: WorkerBench;
  beforeEach(async () => {
    bench = await WorkerBench.open(mode);
  });
  afterEach(async () => {
    await bench.close();
  });

  it('has the late result of an attempt refused when another one has begun', async () => {
    const held = gate();
    const asked = gate();
    const refused = gate<boolean>();
    await bench.startWorker([tool('quick', () => 'of the first attempt')], {
      leaseMs: 1_000,
      attempts: (real) =>
        over(real, {
          heartbeat: () => Promise.reject(new LongshoreError('DATABASE_UNAVAILABLE', 'muted')),
          finish: async (attempt) => {
            asked.open();
            await held.promise;
            const written = await real.finish(attempt);
            refused.open(!written);
            return written;
          },
        }),
    });
    const id = await bench.submit('quick');
    await asked.promise;
    const { attemptStore } = bench.database;
    const other = randomUUID() as WorkerId;
    const claim = await waitFor(
      async () => {
        const outcome = await attemptStore.claim(id, other, 60_000);
        return outcome.kind === 'claimed' ? outcome.claim : null;
      },
      { what: 'the lease of the first attempt ends' },
    );
    expect(claim.attempt).toBe(2);
    held.open();
    expect(await refused.promise).toBe(true);
    expect((await bench.task(id)).state).toBe('working');
  });

  it('stops an attempt whose lease can not be renewed', async () => {
    const stopped = gate<string>();
    await bench.startWorker(
      [
        tool('long', async (_input, ctx) => {
          const why = await aborted(ctx.signal);
          stopped.open(why);
          return why;
        }),
      ],
      {
        leaseMs: 800,
        attempts: (real) =>
          over(real, {
            heartbeat: forEver,
          }),
      },
    );
    await bench.submit('long');
    expect(await stopped.promise).toBe('lost');
  });

  it('runs a task again at once when the answer to its claim was lost', async () => {
    const link = await startPostgresTap(bench.databaseUrl);
    const cut = openDatabase({ url: link.url, log: silentLogger });
    await bench.startWorker([tool('quick', (_input, ctx) => `attempt ${ctx.attempt}`)], {
      attempts: () => cut.attemptStore,
    });
    link.loseAnswerTo('claim-tasks');
    const id = await bench.submit('quick');
    expect(await bench.text(id)).toBe('attempt 2');
    expect(await bench.events(id)).toEqual([
      'created',
      'started',
      'released',
      'started',
      'finished',
    ]);
    await cut.close();
    await link.close();
  });

  it('goes on with a run whose claim Postgres has lost in a crash, when it gets the same one again', async () => {
    const held = gate();
    let runs = 0;
    const slow = tool('slow', async () => {
      runs += 1;
      await held.promise;
      return `run ${runs}`;
    });
    await bench.startWorker([slow], { leaseMs: 60_000 });
    const id = await bench.submit('slow');
    await waitFor(() => runs === 1, { what: 'it runs' });
    // What the row was before the claim that was not flushed.
    await bench.sql(
      'UPDATE tasks SET attempt = 0, claimed_by = NULL, lease_expires_at = NULL WHERE id = $1',
      [id],
    );
    await bench.messaging.jobs.addLater('default', id, 0);
    const claims = () =>
      bench.sql('SELECT FROM tasks WHERE id = $1 AND claimed_by IS NOT NULL', [id]);
    await waitFor(async () => (await claims()).length === 1, { what: 'it is claimed again' });
    held.open();
    expect(await bench.text(id)).toBe('run 1');
    expect(await bench.events(id)).toEqual(['created', 'started', 'started', 'finished']);
  });

  // Takes as long as workers waited for a claim once, so it is run with one queue only.
  if (mode === 'postgres') {
    it('runs what it has claimed however late the answer comes', async () => {
      const client = new pg.Client(bench.databaseUrl);
      await client.connect();
      const gated = gate();
      await bench.startWorker([tool('quick', (_input, ctx) => `attempt ${ctx.attempt}`)], {
        attempts: (real) =>
          over(real, {
            claim: async (...args) => {
              await gated.promise;
              return real.claim(...args);
            },
          }),
      });
      const id = await bench.submit('quick');
      await client.query('BEGIN');
      await client.query('SELECT FROM tasks WHERE id = $1 FOR UPDATE', [id]);
      gated.open();
      const waited = () =>
        bench.sql(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
             AND query_start < now() - interval '10.5 s'`,
        );
      await waitFor(async () => (await waited()).length === 1, {
        what: 'the claim has waited for a row for longer than workers did',
        timeoutMs: 30_000,
      });
      await client.end();
      expect(await bench.text(id)).toBe('attempt 1');
    });
  }
};

describeWithRedis('claims of a worker with Redis', tests('redis'));
describe('claims of a worker with Postgres only', tests('postgres'));
