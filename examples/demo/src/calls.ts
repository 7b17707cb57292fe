import assert from 'node:assert/strict';
import * as z from 'zod';
import { type Facts, NEEDLE } from './make-input.ts';
import type { CallResult, TaskStatus } from './task-client.ts';

/** One task of the demo, and what must come of it. */
export interface DemoCall {
  readonly label: string;
  readonly tool: string;
  readonly args: object;
  readonly expect: TaskStatus;
  /** Cancel it when it has run for this long, in milliseconds. */
  readonly cancelAfterMs?: number;
  /** Says what came out, in a line; throws when it is not what the input holds. */
  readonly check?: (result: CallResult) => string;
}

const Query = z.object({ rows: z.array(z.array(z.json())), row_count: z.int() });
const Count = z.object({
  total: z.object({ words: z.int(), lines: z.int() }),
  files_counted: z.int(),
});
const Search = z.object({ matching_lines: z.int(), files_searched: z.int() });
const Chunk = z.object({ chunks: z.int(), path: z.string().nullable() });
const Profile = z.object({ rows: z.int(), columns: z.array(z.unknown()) });
const Convert = z.object({ path: z.string(), rows: z.int(), bytes: z.int() });

const ORDERS = { orders: 'orders.csv' };

/** A dozen calls: short and long, one cancelled in the middle, some that fail. */
export function demoCalls(facts: Facts): DemoCall[] {
  return [
    {
      label: 'count all texts',
      tool: 'text_count',
      args: { path: 'texts', top: 5 },
      expect: 'completed',
      check: reads(Count, ({ total, files_counted }) => {
        assert.deepEqual(
          [total.words, total.lines, files_counted],
          [facts.words, facts.lines, facts.texts],
        );
        return `${total.words} words in ${files_counted} files`;
      }),
    },
    {
      label: 'search all texts',
      tool: 'text_search',
      args: { path: 'texts/**/*.txt', query: NEEDLE, max_matches: 5 },
      expect: 'completed',
      check: reads(Search, ({ matching_lines, files_searched }) => {
        assert.deepEqual([matching_lines, files_searched], [facts.needles, facts.texts]);
        return `${matching_lines} lines say “${NEEDLE}”`;
      }),
    },
    {
      label: 'chunk one text',
      tool: 'text_chunk',
      args: { path: 'texts/log-00.txt', size: 1_000, overlap: 100, save_as: 'log-00.jsonl' },
      expect: 'completed',
      check: reads(Chunk, ({ chunks }) => {
        assert.ok(chunks > 10);
        return `${chunks} chunks saved`;
      }),
    },
    {
      label: 'profile 250,000 orders',
      tool: 'data_profile',
      args: { file: 'orders.csv' },
      expect: 'completed',
      check: reads(Profile, ({ rows, columns }) => {
        assert.deepEqual([rows, columns.length], [facts.orders, 9]);
        return `${rows} rows, ${columns.length} columns`;
      }),
    },
    {
      label: 'revenue by country',
      tool: 'data_query',
      args: {
        files: ORDERS,
        sql: "SELECT country, CAST(sum(round(quantity * unit_price * 100)) AS BIGINT) AS cents FROM orders WHERE status <> 'cancelled' GROUP BY country ORDER BY cents DESC",
      },
      expect: 'completed',
      check: reads(Query, ({ rows }) => {
        const found = Object.fromEntries(
          rows.map(([country, cents]) => [String(country), Number(cents)]),
        );
        assert.deepEqual(found, facts.revenueCents);
        const [top] = rows;
        return `${String(top?.[0])} leads with ${Math.round(Number(top?.[1]) / 100)}`;
      }),
    },
    {
      label: 'orders by month and status',
      tool: 'data_query',
      args: {
        files: ORDERS,
        sql: "SELECT strftime(ordered_on, '%Y-%m') AS month, status, count(*)::INTEGER AS n FROM orders GROUP BY ALL ORDER BY ALL",
        max_rows: 1_000,
      },
      expect: 'completed',
      check: reads(Query, ({ rows }) => {
        assert.equal(
          rows.reduce((sum, row) => sum + Number(row[2]), 0),
          facts.orders,
        );
        return `${rows.length} groups`;
      }),
    },
    {
      label: 'events by kind',
      tool: 'data_query',
      args: {
        files: { events: 'events.jsonl' },
        sql: 'SELECT kind, count(*)::INTEGER AS n, approx_quantile(ms, 0.5) FROM events GROUP BY kind ORDER BY n DESC',
      },
      expect: 'completed',
      check: reads(Query, ({ rows }) => {
        assert.equal(
          rows.reduce((sum, row) => sum + Number(row[1]), 0),
          facts.events,
        );
        return `${rows.length} kinds of event`;
      }),
    },
    {
      label: 'orders to Parquet',
      tool: 'data_convert',
      args: { file: 'orders.csv', to: 'parquet', save_as: 'orders.parquet' },
      expect: 'completed',
      check: reads(Convert, ({ rows, bytes }) => {
        assert.equal(rows, facts.orders);
        return `${rows} rows in ${Math.round(bytes / 1_024)} KiB`;
      }),
    },
    {
      label: 'customers who came back',
      tool: 'data_query',
      args: {
        files: ORDERS,
        sql: 'SELECT count(*)::INTEGER FROM (SELECT customer FROM orders GROUP BY customer HAVING count(DISTINCT ordered_on) > 1)',
      },
      expect: 'completed',
      check: reads(Query, ({ rows }) => {
        assert.ok(Number(rows[0]?.[0]) > 10_000);
        return `${String(rows[0]?.[0])} customers`;
      }),
    },
    {
      label: 'an endless join, cancelled',
      tool: 'data_query',
      args: {
        files: ORDERS,
        sql: 'SELECT sum(a.quantity * b.quantity * c.quantity) FROM orders a, orders b, orders c',
      },
      expect: 'cancelled',
      cancelAfterMs: 2_000,
    },
    {
      label: 'SQL with a mistake',
      tool: 'data_query',
      args: { files: ORDERS, sql: 'SELECT no_such_column FROM orders' },
      expect: 'failed',
      check: failsWith(/no_such_column/),
    },
    {
      label: 'a file outside, refused',
      tool: 'text_count',
      args: { path: '../../package.json' },
      expect: 'failed',
      check: failsWith(/./),
    },
    {
      label: 'arguments that do not fit',
      tool: 'text_count',
      args: { path: 42 },
      expect: 'failed',
      check: failsWith(/path must be string/),
    },
  ];
}

function reads<T>(
  schema: z.ZodType<T>,
  check: (value: T) => string,
): (result: CallResult) => string {
  return (result) => check(schema.parse(result.structuredContent));
}

function failsWith(pattern: RegExp): (result: CallResult) => string {
  return ({ content, isError }) => {
    const text = content[0]?.text ?? '';
    assert.equal(isError, true);
    assert.match(text, pattern);
    return text.split('\n')[0]?.slice(0, 90) ?? '';
  };
}
