import pg from 'pg';

/** What is recorded of an item. */
export interface ItemRecord {
  readonly index: number;
  readonly value: unknown;
  /** The code of its error; null: it is done. */
  readonly error: string | null;
}

/** Looks at the rows of the batches of one task, beside the server. */
export class BatchRecords {
  readonly #client: pg.Client;
  readonly #taskId: string;

  private constructor(client: pg.Client, taskId: string) {
    this.#client = client;
    this.#taskId = taskId;
  }

  static async open(databaseUrl: string, taskId: string): Promise<BatchRecords> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    return new BatchRecords(client, taskId);
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  /** Process id of the worker that has the task; null: nobody, or one that is gone from the catalogue. */
  async holder(): Promise<number | null> {
    const { rows } = await this.#client.query<{ pid: number }>(
      'SELECT w.pid FROM tasks AS t JOIN workers AS w ON w.id = t.claimed_by WHERE t.id = $1',
      [this.#taskId],
    );
    return rows[0]?.pid ?? null;
  }

  /** Every outcome that is saved, an item that has two comes twice. */
  async items(): Promise<ItemRecord[]> {
    const { rows } = await this.#client.query<ItemRecord>(
      `SELECT c.first_item + (o ->> 0)::int AS index, o -> 2 AS value, o -> 3 ->> 'code' AS error
       FROM batches AS b
       JOIN batch_chunks AS c ON c.batch_id = b.id
       CROSS JOIN unnest(c.outcomes) AS save
       CROSS JOIN json_array_elements(save) AS o
       WHERE b.task_id = $1`,
      [this.#taskId],
    );
    return rows;
  }

  /** How often each item's chunk was begun, by the index of the item. */
  async attempts(): Promise<number[]> {
    const { rows } = await this.#client.query<{ size: number; attempt: number }>(
      `SELECT c.size, t.attempt FROM batches AS b
       JOIN batch_chunks AS c ON c.batch_id = b.id
       JOIN tasks AS t ON t.id = c.task_id
       WHERE b.task_id = $1
       ORDER BY c.position`,
      [this.#taskId],
    );
    return rows.flatMap(({ size, attempt }) => Array<number>(size).fill(attempt));
  }
}
