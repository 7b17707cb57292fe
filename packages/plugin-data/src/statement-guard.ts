import { ToolError, z } from '@longshore/plugin';
import type { Engine } from './engine/engine.ts';
import { FUNCTIONS, TABLE_FUNCTIONS } from './sql-functions.ts';

/*
 * The guard between SQL that a model wrote and the engine. What protects files is DuckDB's own lock
 * (only the files of the call can be opened, settings can not be changed) and the engine's process; this
 * is the layer before it, and it exists because that lock has gaps: table functions such as
 * `enable_logging` change the database or end the process, `pg_settings` tells paths of the server.
 *
 * DuckDB itself parses the statement (`json_serialize_sql`, which takes SELECT only) and the tree is
 * checked against lists of what is allowed: one statement, known kinds of nodes, tables that were named in
 * the input, functions that compute. What this does not know is refused.
 */

/** Kinds of nodes that are no expressions. Those of types, orders and modifiers name nothing that is read. */
const NODES =
  /^(?:(?:SELECT|SET_OPERATION|RECURSIVE_CTE|CTE)_NODE|BASE_TABLE|EMPTY|EXPRESSION_LIST|JOIN|PIVOT|SHOW_REF|SUBQUERY|TABLE_FUNCTION|ASCENDING|DESCENDING|ORDER_DEFAULT|[A-Z_]+_MODIFIER|[A-Z_]+_TYPE_INFO)$/;

const Serialized = z.union([
  z.object({ error: z.literal(true), error_message: z.string() }),
  z.object({ error: z.literal(false), statements: z.array(z.unknown()) }),
]);

/**
 * @param tables names of the tables the statement may read
 * @returns the statement as it is to be run: it may stand in parentheses
 * @throws {ToolError} not a single SELECT, or it uses what it may not
 */
export async function checkStatement(
  engine: Engine,
  sql: string,
  tables: readonly string[],
): Promise<string> {
  const select = withoutLastSemicolon(sql);
  const tree = Serialized.parse(JSON.parse(await ask(engine, 'json_serialize_sql($1)', select)));
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
  const catalogue = await catalogueNames(engine);
  for (const name of nodes.flatMap(commonTableNames)) {
    const lower = name.toLowerCase();
    if (known.has(lower)) continue;
    // Where the common table is not in scope, its name would be that of what lies beneath.
    if (catalogue.has(lower)) {
      throw new ToolError(`WITH can not give the name ${JSON.stringify(name)}: choose another one`);
    }
    known.add(lower);
  }
  for (const node of nodes) {
    checkNode(node);
    checkFunction(node);
    checkTable(node, known, tables);
  }
  // A semicolon that is not at the end: a comment follows it, or it stands in a text.
  return select.includes(';')
    ? ask(engine, 'json_deserialize_sql(json_serialize_sql($1))', select)
    : select;
}

async function ask(engine: Engine, call: string, sql: string): Promise<string> {
  const { rows } = await engine.query({
    sql: `SELECT (${call.replace('$1', '$1::VARCHAR')})::VARCHAR`,
    values: [sql],
    maxRows: 1,
    maxLength: Number.MAX_SAFE_INTEGER,
  });
  return z.string().parse(rows[0]?.[0]);
}

/** What a name without a schema could mean beside the files of the call, in lower case. */
async function catalogueNames(engine: Engine): Promise<ReadonlySet<string>> {
  const { rows } = await engine.query({
    sql: "SELECT lower(view_name) FROM duckdb_views() WHERE internal AND schema_name <> 'information_schema' UNION SELECT lower(table_name) FROM duckdb_tables()",
    values: [],
    maxRows: 10_000,
    maxLength: Number.MAX_SAFE_INTEGER,
  });
  return new Set(
    z
      .array(z.tuple([z.string()]))
      .parse(rows)
      .map(([name]) => name),
  );
}

/** No regular expression: it could be made to try for ever. */
function withoutLastSemicolon(sql: string): string {
  let rest = sql.trim();
  while (rest.endsWith(';')) rest = rest.slice(0, -1).trimEnd();
  return rest;
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

function checkNode(node: Node): void {
  const { type } = node;
  if (typeof type !== 'string' || 'class' in node) return;
  // SHOW lists the catalogue; DESCRIBE and SUMMARIZE have the query they are about.
  if (NODES.test(type) && (type !== 'SHOW_REF' || isNode(node['query']))) return;
  throw new ToolError(`${type === 'SHOW_REF' ? 'SHOW' : type} is not allowed`);
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
  if (typeof name !== 'string') return;
  const lower = name.toLowerCase();
  if (FUNCTIONS.has(lower) || TABLE_FUNCTIONS.has(lower)) return;
  throw new ToolError(`the function ${name} is not allowed, or there is none of this name`);
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
