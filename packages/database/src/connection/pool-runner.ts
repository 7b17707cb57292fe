import type pg from 'pg';
import { classifyError, rowMisfit, sqlState } from './classify-error.ts';
import type { SqlRunner, Statement } from './sql-runner.ts';

type Queryable = pg.Pool | pg.PoolClient;

/** A deadlock's victim wins at the second try, as the other one is through by then. */
const TRIES = 3;
const CONFLICTS = new Set(['40001', '40P01']);

/**
 * Runs statements on the pool that Prisma's adapter uses too.
 *
 * Not through `$queryRaw`: that costs the process 310 instead of 155 us for a read of one row, and 27
 * instead of 13 us per row of an insert of 64 (Prisma 7.10 against pg 8.23 on the same pool, 2026-11-21,
 * Node 20), because arguments and rows pass through its query interpreter.
 */
export class PoolRunner implements SqlRunner {
  readonly #pool: pg.Pool;
  readonly #server: string;
  /** Prepared statements by text: as many as there are statements in the source. */
  readonly #names = new Map<string, string>();

  constructor(pool: pg.Pool, server: string) {
    this.#pool = pool;
    this.#server = server;
  }

  async run<Row>(statement: Statement<Row>): Promise<Row[]> {
    return this.#untilNoConflict(statement.name, () => this.#query(this.#pool, statement));
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
    const { rows } = await on.query<Record<string, unknown>>({
      name: this.#prepared(statement.name, text),
      text,
      values,
    });
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
