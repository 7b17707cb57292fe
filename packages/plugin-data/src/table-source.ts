import { ToolError, z } from '@longshore/plugin';
import type { AllowedFile } from '@longshore/plugin/files';
import { describe } from './describe.ts';
import { countFields, detectDelimiter } from './detect-delimiter.ts';
import type { Engine } from './engine/engine.ts';
import { detectFormat, FORMATS } from './file-format.ts';
import { columnTypes, identifier, literal, parameters } from './sql-text.ts';

/** Up to this size a file is read as a whole to find its column types; beyond, its beginning. */
const WHOLE_SAMPLE_BYTES = 268_435_456;
const SAMPLE_ROWS = 500_000;

export const TableSource = z.strictObject({
  path: z.string().min(1).max(4_096).describe('A file, relative to the allowed directories.'),
  format: z.enum(FORMATS).optional().describe('When the name of the file does not tell it.'),
  delimiter: z
    .string()
    .length(1)
    .optional()
    .describe('CSV: what separates the fields, when it is not found in the first line.'),
  header: z.boolean().optional().describe('CSV: false when the first line is data already.'),
  skip: z
    .int()
    .min(0)
    .max(1_000)
    .optional()
    .describe('CSV: lines before the first one that counts.'),
  encoding: z.enum(['utf-8', 'utf-16', 'latin-1']).optional().describe('CSV: utf-8 unless given.'),
});
export type TableSource = z.output<typeof TableSource>;

/** How a model names a file: by its path alone, or with what its reading needs. */
export const FileInput = z.union([TableSource.shape.path, TableSource]);

export function tableSource(file: z.output<typeof FileInput>): TableSource {
  return typeof file === 'string' ? { path: file } : file;
}

/**
 * Makes a view over a file. Types are found once, here, so that queries do not look for them again.
 *
 * @param readPath how the engine reaches the file
 * @throws {ToolError} the file is not what its name or the source says
 * @throws {DuckDBError} DuckDB can not read it
 */
export async function createView(
  engine: Engine,
  name: string,
  source: TableSource,
  file: AllowedFile,
  readPath: string,
): Promise<void> {
  const { format, isGzipped, head } = await detectFormat(file, source.format);
  if (format !== 'csv') refuseCsvOptions(source);
  const path = literal(readPath);
  const sample = file.sizeBytes <= WHOLE_SAMPLE_BYTES ? '-1' : String(SAMPLE_ROWS);
  const compression = isGzipped ? { compression: "'gzip'" } : {};
  let reader: string;
  switch (format) {
    case 'parquet':
      reader = `read_parquet(${path}, hive_partitioning=false)`;
      break;
    case 'json': {
      const options = parameters(compression);
      const columns = await describe(
        engine,
        `read_json(${path}, hive_partitioning=false, sample_size=${sample}${options})`,
      );
      reader = `read_json(${path}, hive_partitioning=false, columns=${columnTypes(columns)}${options})`;
      break;
    }
    case 'csv': {
      const delimiter = source.delimiter ?? detectDelimiter(head, source.skip ?? 0);
      const options = parameters({
        delim: literal(delimiter),
        quote: `'"'`,
        escape: `'"'`,
        header: String(source.header ?? true),
        skip: String(source.skip ?? 0),
        encoding: literal(source.encoding ?? 'utf-8'),
        strict_mode: 'true',
        ...compression,
      });
      const fixed = `${path}, auto_detect=false, hive_partitioning=false${options}`;
      const found = await sniff(
        engine,
        `sniff_csv(${path}, sample_size=${sample}${options})`,
      ).catch(async (error: unknown) => {
        // The sniffer only says that it failed. Reading all fields as text names the line.
        const count = countFields(head, source.skip ?? 0, delimiter);
        const columns = Array.from({ length: count }, (_, index) => ({
          name: `column${index}`,
          type: 'VARCHAR',
        }));
        await engine.execute(
          `SELECT max(COLUMNS(*)) FROM read_csv(${fixed}, columns=${columnTypes(columns)})`,
        );
        throw error;
      });
      reader = `read_csv(${fixed}${found})`;
      break;
    }
  }
  await engine.execute(`CREATE VIEW ${identifier(name)} AS SELECT * FROM ${reader}`);
}

const Sniffed = z.tuple([
  z.array(z.object({ name: z.string(), type: z.string() })),
  z.string().nullable(),
  z.string().nullable(),
]);

/** What DuckDB finds in the rows of a CSV file, as parameters of read_csv. */
async function sniff(engine: Engine, sniffer: string): Promise<string> {
  const { rows } = await engine.query({
    sql: `SELECT Columns, DateFormat, TimestampFormat FROM ${sniffer}`,
    values: [],
    maxRows: 1,
    maxLength: Number.MAX_SAFE_INTEGER,
  });
  const [columns, dateFormat, timestampFormat] = Sniffed.parse(rows[0]);
  return parameters({
    columns: columnTypes(columns),
    ...(dateFormat === null ? {} : { dateformat: literal(dateFormat) }),
    ...(timestampFormat === null ? {} : { timestampformat: literal(timestampFormat) }),
  });
}

function refuseCsvOptions(source: TableSource): void {
  for (const option of ['delimiter', 'header', 'skip', 'encoding'] as const) {
    if (source[option] !== undefined) {
      throw new ToolError(`${source.path}: ${option} is for CSV files only`);
    }
  }
}
