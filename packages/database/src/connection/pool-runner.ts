import { tracedPart } from '@longshore/tracing';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import * as z from 'zod';
import { Prisma, PrismaClient } from '../generated/client.ts';
import { classifyError, rowMisfit, sqlState } from './classify-error.ts';
import type { SqlRunner, Statement } from './sql-runner.ts';

type Queryable = pg.Pool | pg.PoolClient;

/** A deadlock's victim wins at the second try, as the other one is through by then. */
const TRIES = 3;
const CONFLICTS = new Set(['40001', '40P01']);

const STATEMENT_SPAN = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const;

const Clock = z.object({ now: z.date() });

/**
 * The one way to Postgres, for statements and for calls of Prisma's client alike: both take connections of one pool,
 * so what is said of time-outs there holds for both, and both are tried again after a conflict and fail with the same errors.
 *
 * Which is for what, and what each costs: docs/decisions/0006-statements-on-the-pool.md
 */
export class PoolRunner implements SqlRunner {
  readonly #pool: pg.Pool;
  readonly #server: string;
  /** Made by the first call of it: its engine takes 0.1 s of CPU and 40 MB, which a process that only runs statements saves. */
  #prisma: PrismaClient | null = null;
  /** Prepared statements by text: as many as there are statements in the source. */
  readonly #names = new Map<string, string>();

  /** @param server where the database is, for errors: `127.0.0.1:5432/longshore` */
  constructor(pool: pg.Pool, server: string) {
    this.#pool = pool;
    this.#server = server;
  }

  async run<Row>(statement: Statement<Row>): Promise<Row[]> {
    return this.#untilNoConflict(statement.name, () => this.#query(this.#pool, statement));
  }

  /**
   * Calls Prisma's client. It is run again after a conflict, so `call` is one call and nothing else; one that writes is one
   * that Prisma sends as a single statement, such as `updateMany`, or as a transaction.
   *
   * @param name for errors: `list-files`
   */
  async ask<T>(name: string, call: (prisma: PrismaClient) => PromiseLike<T>): Promise<T> {
    this.#prisma ??= new PrismaClient({
      adapter: new PrismaPg(this.#pool),
      errorFormat: 'minimal',
    });
    const prisma = this.#prisma;
    return this.#untilNoConflict(name, async () => call(prisma));
  }

  /** The time by the clock that decides, for a call of Prisma's client: it has no word for `now()`. */
  async now(): Promise<Date> {
    const sql = Prisma.sql`SELECT now()::timestamptz(3) AS now`;
    const [row] = await this.run({ name: 'read-clock', row: Clock, sql });
    if (row === undefined) throw new Error('read-clock returned no row');
    return row.now;
  }

  /**
   * Runs `work` in one READ COMMITTED transaction: all of it or nothing happens.
   *
   * After a deadlock or a serialization failure it runs again, three times in all: Postgres has said that nothing
   * was committed, and the one that was in the way is through. So `work` does nothing but run statements. Nothing
   * else is tried again here. When the connection breaks at COMMIT, it may have been committed; a server that can not be
   * reached is no nearer a moment later, and callers who can wait try again by themselves.
   *
   * @param name for errors
   */
  async transaction<T>(name: string, work: (runner: SqlRunner) => Promise<T>): Promise<T> {
    return this.#untilNoConflict(name, () => this.#transact(work));
  }

  /** Ends the pool, after the statements under way. */
  async close(): Promise<void> {
    await this.#prisma?.$disconnect();
    await this.#pool.end();
  }

  /** @throws {LongshoreError} as `classifyError` says */
  async #untilNoConflict<T>(name: string, work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (tries < TRIES && CONFLICTS.has(sqlState(error) ?? '')) continue;
        throw classifyError(error, name, this.#server);
      }
    }
  }

  async #transact<T>(work: (runner: SqlRunner) => Promise<T>): Promise<T> {
    const connection = await this.#pool.connect();
    // Without a listener a connection that breaks between two statements would end the process.
    const ignore = (): void => {};
    connection.on('error', ignore);
    try {
      await connection.query('BEGIN');
      const result = await work({ run: (statement) => this.#query(connection, statement) });
      await connection.query('COMMIT');
      connection.off('error', ignore);
      connection.release();
      return result;
    } catch (error) {
      // Closing the connection rolls back, whatever state it is in.
      connection.release(true);
      throw error;
    }
  }

  async #query<Row>(on: Queryable, statement: Statement<Row>): Promise<Row[]> {
    const { text, values } = statement.sql;
    const query = { name: this.#prepared(statement.name, text), text, values };
    const { rows } = await tracedPart(statement.name, STATEMENT_SPAN, () =>
      on.query<Record<string, unknown>>(query),
    );
    return rows.map((row) => {
      const parsed = statement.row.safeParse(row);
      if (!parsed.success) throw rowMisfit(parsed.error, statement.name);
      return parsed.data;
    });
  }

  #prepared(name: string, text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const made = `${name}-${this.#names.size}`;
    this.#names.set(text, made);
    return made;
  }
}
