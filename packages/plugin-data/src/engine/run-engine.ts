import type { DuckDBConnection, DuckDBValueConverter, Json } from '@duckdb/node-api';
import type { EngineMessage, EngineRequest } from './engine-protocol.ts';

/**
 * The engine process: DuckDB in memory, driven by messages. It is handed over as text (see Engine), so
 * it uses nothing from around it.
 *
 * `process.argv[1]` is the path of @duckdb/node-api, `process.argv[2]` DuckDB's options as JSON.
 */
export function runEngine(): void {
  const { createRequire } = process.getBuiltinModule('node:module');
  const { writeFileSync } = process.getBuiltinModule('node:fs');
  const [, modulePath = '', options = '{}'] = process.argv;
  const duckdb: typeof import('@duckdb/node-api') = createRequire(modulePath)(modulePath);
  const { DuckDBTypeId } = duckdb;

  const WHOLE_NUMBERS: readonly number[] = [
    DuckDBTypeId.BIGINT,
    DuckDBTypeId.UBIGINT,
    DuckDBTypeId.HUGEINT,
    DuckDBTypeId.UHUGEINT,
  ];

  /** JSON's own types; whole numbers beyond 2^53 and decimals as text, so that no digit is lost. */
  const toJson: DuckDBValueConverter<Json> = (value, type, converter) => {
    if (value === null) return null;
    if (WHOLE_NUMBERS.includes(type.typeId)) {
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    }
    if (type.typeId === DuckDBTypeId.INTERVAL) return String(value);
    return duckdb.JsonDuckDBValueConverter(value, type, converter);
  };

  const send = (message: EngineMessage): void => {
    process.send?.(message);
  };

  const run = async (
    connection: DuckDBConnection,
    { sql, values, maxRows, maxLength }: EngineRequest,
  ): Promise<void> => {
    const timer = setInterval(() => {
      const { percentage } = connection.progress;
      if (percentage >= 0) send({ kind: 'progress', percentage });
    }, 100);
    try {
      const result = await connection.stream(sql, [...values]);
      const columns = result
        .columnNames()
        .map((name, index) => ({ name, type: String(result.columnType(index)) }));
      const rows: Json[][] = [];
      let length = 0;
      let truncated = false;
      while (!truncated) {
        const chunk = await result.fetchChunk();
        if (chunk === null || chunk.rowCount === 0) break;
        for (let index = 0; index < chunk.rowCount && !truncated; index += 1) {
          const row = chunk.convertRowValues(index, toJson);
          length += JSON.stringify(row).length;
          truncated = rows.length === maxRows || length > maxLength;
          if (!truncated) rows.push(row);
        }
      }
      send({ kind: 'rows', result: { columns, rows, truncated } });
    } catch (error) {
      send({ kind: 'error', message: error instanceof Error ? error.message : String(error) });
    } finally {
      clearInterval(timer);
    }
  };

  // When memory runs out, the system should end this process and not the worker.
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Another system, or not permitted: then it decides by itself.
  }
  // Nobody is left to answer; a query may still be running in another thread, so no orderly exit.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  duckdb.DuckDBInstance.create(':memory:', JSON.parse(options))
    .then((instance) => instance.connect())
    .then((connection) => {
      process.on('message', (request: EngineRequest) => void run(connection, request));
      send({ kind: 'ready' });
    })
    .catch((error: unknown) => send({ kind: 'error', message: String(error) }));
}
