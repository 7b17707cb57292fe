import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import type { WireClient } from '@longshore/testing/mcp';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { LegacyStack } from './legacy-stack.ts';

interface ToolResult {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: {
    readonly schedule?: Facts;
    readonly schedules?: readonly Facts[];
    readonly next_cursor?: string;
  };
  readonly isError?: boolean;
}
interface Facts {
  readonly schedule_id: string;
  readonly state: string;
  readonly next_runs: readonly string[];
  readonly last_task_id?: string;
  readonly runs: number;
  readonly skipped: number;
  readonly note?: string;
}

/** Nothing that comes true by itself while a test runs. */
const NEVER_NOW = '0 0 29 2 *';

const textOf = ({ content }: ToolResult): string => content.map(({ text }) => text).join('\n');

/** @param stackOf two APIs and a worker; started by the time the tests run */
export function describeSchedules(stackOf: () => LegacyStack): void {
  describe('schedules', () => {
    const environment = () => stackOf().stack.environment;

    const sql = async (text: string, values: readonly unknown[] = []): Promise<unknown[]> => {
      const client = new pg.Client(environment()['DATABASE_URL']);
      await client.connect();
      try {
        return (await client.query(text, [...values])).rows;
      } finally {
        await client.end();
      }
    };

    /** Everything that would wake a schedule is lost. */
    const emptyQueue = async (): Promise<void> => {
      const url = environment()['REDIS_URL'];
      if (url === undefined || url === '') {
        await sql('TRUNCATE bullmq.job, bullmq.scheduler CASCADE');
        return;
      }
      const redis = new Redis(url);
      await redis.flushdb();
      redis.disconnect();
    };

    const call = async (
      client: WireClient,
      name: string,
      args: object = {},
      replica = 0,
    ): Promise<ToolResult> =>
      (await client.result('tools/call', { name, arguments: args }, { replica })) as never;

    const added = async (client: WireClient, args: object, replica = 0): Promise<Facts> => {
      const result = await call(client, 'job_schedule', args, replica);
      const schedule = result.structuredContent?.schedule;
      if (schedule === undefined) throw new Error(textOf(result));
      return schedule;
    };

    const look = async (client: WireClient, id: string): Promise<Facts> => {
      const { structuredContent } = await call(client, 'job_schedules');
      const found = structuredContent?.schedules?.find(({ schedule_id }) => schedule_id === id);
      if (found === undefined) throw new Error(`no schedule ${id}`);
      return found;
    };

    const untilRun = (client: WireClient, id: string, runs: number): Promise<Facts> =>
      waitFor(
        async () => {
          const now = await look(client, id);
          return now.runs >= runs ? now : null;
        },
        { what: `run ${runs} of the schedule`, timeoutMs: 30_000 },
      );

    const untilEnded = (id: string): Promise<unknown> =>
      waitFor(
        async () =>
          (await sql('SELECT FROM tasks WHERE id = $1 AND finished_at IS NOT NULL', [id])).length >
          0,
        { what: `the end of job ${id}`, timeoutMs: 30_000 },
      );

    const tasksOf = async (id: string): Promise<{ request_id: string; tool_name: string }[]> =>
      (await sql('SELECT request_id, tool_name FROM tasks WHERE request_id LIKE $1', [
        `%${id}%`,
      ])) as never;

    it('run a tool at a time, as a job that any client of its principal finds', async () => {
      const client = await stackOf().newClient();
      const runAt = new Date(Date.now() + 1_500);
      const { schedule_id: id } = await added(client, {
        tool: 'echo',
        arguments: { text: 'later' },
        run_at: runAt.toISOString(),
        name: 'once',
      });
      const done = await untilRun(client, id, 1);
      expect(done).toMatchObject({ state: 'ended', runs: 1, skipped: 0, next_runs: [] });
      const jobId = done.last_task_id ?? '';
      const result = await call(client, 'job_wait', { task_id: jobId }, 1);
      expect(textOf(result)).toContain('later');
      const { tasks } = (await client.result('tasks/list')) as { tasks: { taskId: string }[] };
      expect(tasks.map(({ taskId }) => taskId)).toEqual([jobId]);
    });

    it('run once for each due time, also when the queue was emptied in between', async () => {
      const client = await stackOf().newClient();
      const { schedule_id: id, next_runs: first } = await added(client, {
        tool: 'echo',
        arguments: { text: 'again' },
        cron: NEVER_NOW,
        time_zone: 'Europe/Berlin',
      });
      expect(first).toHaveLength(3);
      for (let run = 1; run <= 3; run += 1) {
        // The row is the truth: it is due when it says so, and nothing else knows.
        if (run > 1) await emptyQueue();
        await sql(
          `UPDATE schedules SET next_run_at = now() + interval '300 ms', wake_at = now() + interval '300 ms'
           WHERE id = $1`,
          [id],
        );
        const { last_task_id: job } = await untilRun(client, id, run);
        // While it is open the next time would be skipped.
        await untilEnded(job ?? '');
      }
      const { state, next_runs: next } = await look(client, id);
      expect([state, next]).toEqual(['active', first]);
      const tasks = await tasksOf(id);
      expect(new Set(tasks.map(({ request_id }) => request_id)).size).toBe(3);
      expect(tasks).toHaveLength(3);
    });

    it('are told in words, kept by name, listed by pages, and removed by their owner alone', async () => {
      const [client, stranger] = [await stackOf().newClient(), await stackOf().newClient()];
      const args = { tool: 'echo', arguments: { text: 'x' }, cron: '30 9 * * 1-5' };
      const nightly = { ...args, name: 'nightly', time_zone: 'Europe/Berlin' };
      const answer = await call(client, 'job_schedule', nightly);
      expect(textOf(answer)).toMatch(
        /\(nightly\) runs echo at 30 9 \* \* 1-5 in Europe\/Berlin; next (\w{3} [\d-]+ 09:30 \+0[12]:00(, )?){3} \(Europe\/Berlin\)/,
      );
      const again = await call(client, 'job_schedule', nightly, 1);
      expect(textOf(again)).toContain('there already');
      expect(again.structuredContent?.schedule?.schedule_id).toBe(
        answer.structuredContent?.schedule?.schedule_id,
      );
      const other = await call(client, 'job_schedule', { ...nightly, cron: '@daily' });
      expect([other.isError, textOf(other)]).toEqual([true, expect.stringContaining('nightly')]);
      for (let count = 0; count < 20; count += 1) await added(client, args, count % 2);
      const page = await call(client, 'job_schedules');
      const cursor = page.structuredContent?.next_cursor;
      const rest = await call(client, 'job_schedules', { cursor });
      const ids = [page, rest].flatMap(({ structuredContent }) =>
        (structuredContent?.schedules ?? []).map(({ schedule_id }) => schedule_id),
      );
      expect([ids.length, new Set(ids).size]).toEqual([21, 21]);
      expect(rest.structuredContent?.next_cursor).toBeUndefined();
      const [id = ''] = ids;
      for (const schedule of [id, 'nightly', 'no such']) {
        const refused = await call(stranger, 'job_unschedule', { schedule });
        expect([refused.isError, textOf(refused)]).toEqual([
          true,
          expect.stringContaining('no such schedule'),
        ]);
      }
      expect(textOf(await call(stranger, 'job_schedules'))).toBe('There are no schedules.');
      for (const schedule of [id, 'nightly']) {
        expect(textOf(await call(client, 'job_unschedule', { schedule }))).toContain('Removed');
        expect((await call(client, 'job_unschedule', { schedule })).isError).toBe(true);
      }
    });

    it.each([
      [{ tool: 'echo', arguments: { text: 'x' } }, 'cron or run_at'],
      [{ tool: 'echo', cron: '@daily', run_at: '2099-01-01T00:00' }, 'cron or run_at'],
      [{ tool: 'echo', cron: 'at nine' }, 'five fields'],
      [{ tool: 'echo', cron: '* * * * * *' }, 'once a minute at most'],
      [{ tool: 'echo', cron: '0 0 30 2 *' }, 'never comes true'],
      [{ tool: 'echo', cron: '@daily', time_zone: 'Mars/Olympus' }, 'no time zone'],
      [{ tool: 'echo', run_at: 'tomorrow' }, 'no time'],
      [{ tool: 'echo', run_at: '2020-01-01T00:00Z' }, 'is over'],
      [{ tool: 'echo', cron: '@daily', missed: 'run_all', overlap: 'skip' }, 'overlap start'],
      [{ tool: 'echo', arguments: { text: 7 }, cron: '@daily' }, 'text must be string'],
      [{ tool: 'no_such_tool', cron: '@daily' }, 'no tool no_such_tool'],
      [{ tool: 'job_list', cron: '@daily' }, 'no tool job_list'],
      [{ tool: 'echo', cron: '@daily', name: 'a name' }, 'name must match'],
    ])('say what is wrong with %j', async (args, said) => {
      const client = await stackOf().newClient();
      const answer = await call(client, 'job_schedule', { arguments: { text: 'x' }, ...args });
      expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining(said)]);
      expect(textOf(await call(client, 'job_schedules'))).toBe('There are no schedules.');
    });
  });
}
