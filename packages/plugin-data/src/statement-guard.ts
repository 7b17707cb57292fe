import { ToolError, z } from '@longshore/plugin';
import type { Engine } from './engine/engine.ts';

/**
 * The guard between SQL that a model wrote and the engine. What protects files is DuckDB's own lock
 * (only the files of the call can be opened, settings can not be changed) and the engine's process; this
 * is the layer before it, and it exists because that lock has gaps: table functions such as
 * `enable_logging` change the database or end the process, `pg_settings` tells paths of the server.
 *
 * DuckDB itself parses the statement (`json_serialize_sql`, which takes SELECT only) and the tree is
 * checked: one statement, only tables that were named in the input, only table functions that compute.
 */
const TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  'generate_series',
  'json_each',
  'json_tree',
  'range',
  'repeat',
  'repeat_row',
  'unnest',
]);

/** Functions that wait, or look at the server instead of the data. */
const REFUSED_FUNCTIONS: ReadonlySet<string> = new Set([
  'current_setting',
  'getenv',
  'getvariable',
  'pg_sleep',
  'sleep_ms',
  'write_log',
]);

const Serialized = z.union([
  z.object({ error: z.literal(true), error_message: z.string() }),
  z.object({ error: z.literal(false), statements: z.array(z.unknown()) }),
]);

/**
 * @param tables names of the tables the statement may read
 * @throws {ToolError} not a single SELECT, or it uses what it may not
 */
export async function checkStatement(
  engine: Engine,
  sql: string,
  tables: readonly string[],
): Promise<void> {
  const { rows } = await engine.query({
    sql: 'SELECT json_serialize_sql($1::VARCHAR)::VARCHAR',
    values: [sql],
    maxRows: 1,
    maxLength: Number.MAX_SAFE_INTEGER,
  });
  const tree = Serialized.parse(JSON.parse(z.string().parse(rows[0]?.[0])));
  if (tree.error) {
    throw new ToolError(
      tree.error_message.startsWith('Only SELECT')
        ? 'only SELECT statements are allowed (PIVOT and DESCRIBE go in one: SELECT * FROM (PIVOT ... ON column IN (...) ...))'
        : `the SQL can not be parsed: ${tree.error_message}`,
    );
  }
  if (tree.statements.length !== 1) {
    throw new ToolError(`sql must be one statement, not ${tree.statements.length}`);
  }
  const nodes = [...objectsOf(tree.statements)];
  const known = new Set(tables.map((table) => table.toLowerCase()));
  for (const name of nodes.flatMap(commonTableNames)) known.add(name.toLowerCase());
  for (const node of nodes) {
    checkFunction(node);
    checkTable(node, known, tables);
  }
}

type Node = Readonly<Record<string, unknown>>;

/** Every object in the tree. Without recursion: the depth is the author's choice. */
function* objectsOf(tree: unknown): Generator<Node, void, undefined> {
  const pending = [tree];
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) {
      for (const element of next) pending.push(element);
    } else if (isNode(next)) {
      yield next;
      pending.push(...Object.values(next));
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function commonTableNames(node: Node): string[] {
  const map = isNode(node['cte_map']) ? node['cte_map']['map'] : undefined;
  if (!Array.isArray(map)) return [];
  return map.flatMap((entry: unknown) =>
    isNode(entry) && typeof entry['key'] === 'string' ? [entry['key']] : [],
  );
}

function checkFunction(node: Node): void {
  if (node['type'] === 'TABLE_FUNCTION') {
    const call = node['function'];
    const name = isNode(call) ? String(call['function_name']).toLowerCase() : 'unknown';
    if (!TABLE_FUNCTIONS.has(name)) {
      throw new ToolError(
        `the table function ${name} is not allowed: files are read by naming them in the input; allowed are ${[...TABLE_FUNCTIONS].join(', ')}`,
      );
    }
  }
  const name = node['function_name'];
  if (typeof name === 'string' && REFUSED_FUNCTIONS.has(name.toLowerCase())) {
    throw new ToolError(`the function ${name} is not allowed`);
  }
}

function checkTable(node: Node, known: ReadonlySet<string>, tables: readonly string[]): void {
  if (node['type'] !== 'BASE_TABLE') return;
  const name = String(node['table_name']);
  const isOurs =
    known.has(name.toLowerCase()) &&
    ['', 'main'].includes(String(node['schema_name'])) &&
    ['', 'memory'].includes(String(node['catalog_name']));
  if (!isOurs) {
    const list = tables.map((table) => `"${table}"`).join(', ');
    throw new ToolError(`there is no table ${JSON.stringify(name)}; the tables are ${list}`);
  }
}
