import { link, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { createOutputFile } from '@longshore/plugin/files';
import { recordedContext, runTool } from '@longshore/plugin/testing';
import * as plugin from '@longshore/plugin-data';
import { createPluginWorkspace, type PluginWorkspace } from '@longshore/testing/plugins';
import type { Engine } from '../src/engine/engine.ts';
import { QuerySlots } from '../src/query-slots.ts';
import { selectRows } from '../src/select-rows.ts';
import { withSession } from '../src/session.ts';
import { FUNCTIONS, TABLE_FUNCTIONS } from '../src/sql-functions.ts';
import { checkStatement } from '../src/statement-guard.ts';

const SECRET = 'top-secret-4711';
let workspace: PluginWorkspace;
let secret: string;

beforeAll(async () => {
  workspace = await createPluginWorkspace(plugin);
  secret = join(workspace.root, 'secret.csv');
  await writeFile(secret, `id,word\n1,${SECRET}\n`);
  await workspace.write('good.csv', 'id,word\n1,fine\n');
  await workspace.write('other.csv', 'id,word\n1,not-named\n');
  await workspace.write('.hidden.csv', 'id,word\n1,hidden\n');
  await symlink(secret, join(workspace.root, 'in/link.csv'));
  await symlink(workspace.root, join(workspace.root, 'in/up'));
});

afterAll(() => workspace.remove());

const query = (sql: string, path = 'good.csv') =>
  runTool(workspace.tool('data_query'), { sql, files: { good: path } });

/** Ways to reach a file, as SQL; `path` is put in as a literal. */
const READS: readonly [string, (path: string) => string][] = [
  [
    'read_csv',
    (path) =>
      `SELECT * FROM read_csv(${path}, header=false, columns={'x': 'VARCHAR'}, auto_detect=false)`,
  ],
  ['read_csv_auto', (path) => `SELECT * FROM read_csv_auto(${path})`],
  ['read_text', (path) => `SELECT * FROM read_text(${path})`],
  ['read_blob', (path) => `SELECT * FROM read_blob(${path})`],
  ['read_json', (path) => `SELECT * FROM read_json(${path})`],
  ['read_json_objects', (path) => `SELECT * FROM read_json_objects(${path})`],
  ['read_ndjson', (path) => `SELECT * FROM read_ndjson(${path})`],
  ['read_parquet', (path) => `SELECT * FROM read_parquet(${path})`],
  ['parquet_metadata', (path) => `SELECT * FROM parquet_metadata(${path})`],
  ['parquet_schema', (path) => `SELECT * FROM parquet_schema(${path})`],
  ['parquet_kv_metadata', (path) => `SELECT * FROM parquet_kv_metadata(${path})`],
  ['read_duckdb', (path) => `SELECT * FROM read_duckdb(${path})`],
  ['sniff_csv', (path) => `SELECT * FROM sniff_csv(${path})`],
  ['glob', (path) => `SELECT * FROM glob(${path})`],
  ['query', (path) => `SELECT * FROM query('FROM read_text(${path.replaceAll("'", "''")})')`],
  ['query_table', (path) => `SELECT * FROM query_table(${path})`],
  ['a subquery', (path) => `SELECT (SELECT content FROM read_text(${path}))`],
  ['a table expression', (path) => `WITH x AS (FROM read_text(${path})) FROM x`],
  ['a lateral join', (path) => `SELECT * FROM good, LATERAL (FROM read_text(${path}))`],
  ['a name in quotes', (path) => `SELECT * FROM "${path.replaceAll("'", '')}"`],
  ['a text for a name', (path) => `SELECT * FROM ${path}`],
];

/** Statements that are no SELECT. */
const STATEMENTS: readonly [string, (path: string) => string][] = [
  ['COPY TO', (path) => `COPY (SELECT 1) TO ${path}`],
  ['COPY FROM', (path) => `CREATE TABLE t AS SELECT 1 AS a; COPY t FROM ${path}`],
  ['ATTACH', (path) => `ATTACH ${path} AS other`],
  ['ATTACH of a new database', () => `ATTACH '/tmp/longshore-new.duckdb' AS other`],
  ['INSTALL', () => 'INSTALL httpfs'],
  ['LOAD', () => "LOAD '/tmp/evil.duckdb_extension'"],
  ['EXPORT', () => "EXPORT DATABASE '/tmp/longshore-export'"],
  ['IMPORT', () => "IMPORT DATABASE '/tmp/longshore-export'"],
  ['SET of external access', () => 'SET enable_external_access = true'],
  ['RESET of external access', () => 'RESET enable_external_access'],
  ['SET of allowed paths', (path) => `SET allowed_paths = [${path}]`],
  ['SET of allowed directories', () => "SET allowed_directories = ['/']"],
  ['SET of the memory limit', () => "SET memory_limit = '100GB'"],
  ['SET of the temporary directory', () => "SET temp_directory = '/tmp'"],
  ['SET of the log', () => "SET log_query_path = '/tmp/longshore.log'"],
  ['PRAGMA of the profile', () => "PRAGMA profiling_output = '/tmp/longshore.json'"],
  ['a persistent secret', () => "CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'x')"],
];

const PG_SETTINGS =
  'SELECT * FROM good WHERE (WITH pg_settings AS (SELECT 1) SELECT 1) = 1 AND EXISTS (FROM pg_settings)';

/** Statements that only look like a harmless SELECT. */
const TRICKS: readonly [string, string][] = [
  ['logging to a file', "SELECT * FROM enable_logging(storage='file', storage_path='/tmp/x')"],
  ['logging', 'SELECT * FROM enable_logging()'],
  ['profiling', 'SELECT * FROM enable_profiling()'],
  ['a checkpoint', 'SELECT * FROM force_checkpoint()'],
  ['settings', 'SELECT * FROM duckdb_settings()'],
  ['settings by their view', 'SELECT * FROM pg_catalog.pg_settings'],
  ['settings by name', "SELECT current_setting('temp_directory')"],
  ['settings in capitals', "SELECT CURRENT_SETTING('temp_directory')"],
  ['settings behind a dot', "SELECT ('temp_directory').current_setting()"],
  ['settings in a window', "SELECT max(current_setting('x')) OVER () FROM good"],
  ['settings in a filter', "SELECT 1 FROM good ORDER BY current_setting('x')"],
  ['settings behind a common table', PG_SETTINGS],
  [
    'settings beside a common table',
    'SELECT (WITH PG_Settings AS (SELECT 1) SELECT 1) FROM pg_settings',
  ],
  [
    'settings in a common table of their name',
    'WITH pg_settings AS (FROM pg_settings) FROM pg_settings',
  ],
  [
    'settings in a later common table',
    'WITH a AS (FROM b), b AS (SELECT 1), pg_settings AS (SELECT 1) FROM a',
  ],
  [
    'settings behind a recursive table',
    'WITH RECURSIVE pg_settings AS (SELECT 1 UNION ALL FROM pg_settings) FROM pg_settings',
  ],
  [
    'views behind a common table',
    'SELECT 1 WHERE (WITH duckdb_views AS (SELECT 1) SELECT 1) = 1 AND EXISTS (FROM duckdb_views)',
  ],
  ['settings, described', 'SELECT * FROM (DESCRIBE pg_settings)'],
  ['settings, summarized', 'SELECT * FROM (SUMMARIZE pg_settings)'],
  ['settings, pivoted', "SELECT * FROM (PIVOT pg_settings ON name IN ('x') USING first(setting))"],
  ['settings by SHOW', 'SELECT * FROM (SHOW ALL TABLES)'],
  ['tables by SHOW', 'SELECT * FROM (SHOW TABLES)'],
  ['databases by SHOW', 'SELECT * FROM (SHOW DATABASES)'],
  [
    'settings in a plan',
    "SELECT json_serialize_plan('SELECT current_setting(''temp_directory'')', optimize := true)",
  ],
  ['settings with a schema', "SELECT system.main.current_setting('temp_directory')"],
  ['settings in a lambda', "SELECT list_transform(['x'], lambda x: current_setting(x))"],
  [
    'settings in a filter of an aggregate',
    "SELECT count(*) FILTER (current_setting('x') = 'y') FROM good",
  ],
  ['settings in a limit', "SELECT 1 LIMIT (SELECT length(current_setting('x')))"],
  ['a variable', "SELECT getvariable('x')"],
  ['the environment', "SELECT getenv('HOME')"],
  ['the text of a view', 'SELECT pg_catalog.pg_get_viewdef(1)'],
  ['a constraint', 'SELECT pg_get_constraintdef(1)'],
  ['the size of the database', "SELECT get_block_size('memory')"],
  ['schemas', 'SELECT current_schemas(true)'],
  ['information_schema', 'SELECT * FROM information_schema.tables'],
  ['pg_catalog', 'SELECT * FROM pg_catalog.pg_class'],
  ['sqlite_master', 'SELECT * FROM sqlite_master'],
  ['another catalog', 'SELECT * FROM system.main.duckdb_columns'],
  ['databases', 'SELECT * FROM pragma_database_list'],
  ['variables', 'SELECT * FROM duckdb_variables()'],
  ['temporary files', 'SELECT * FROM duckdb_temporary_files()'],
  ['a pragma', 'PRAGMA database_list'],
  ['a pragma as a function', "SELECT * FROM pragma_storage_info('good')"],
  ['another parser', 'SELECT * FROM enable_peg_parser()'],
  ['completion', "SELECT * FROM sql_auto_complete('FROM ')"],
  ['a function in a window', "SELECT row_number() OVER (ORDER BY current_setting('x')) FROM good"],
  ['a function nobody knows', 'SELECT no_such_function(1)'],
  ['secrets', 'SELECT * FROM duckdb_secrets()'],
  ['the log', "SELECT write_log('x')"],
  ['sleep', 'SELECT sleep_ms(1000)'],
  ['a serialized statement', "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))"],
  ['a second statement', "SELECT 1 /* ; */; COPY (SELECT 1) TO '/tmp/x'"],
  ['a call', 'CALL enable_logging()'],
  ['an explanation', 'EXPLAIN ANALYZE SELECT 1'],
  ['a prepared statement', 'PREPARE p AS SELECT 1'],
];

const FUNCTION_NAMES =
  "SELECT string_agg(DISTINCT lower(function_name), ' ') FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro') AND NOT regexp_matches(function_name, '^(__internal_|icu_collate_)')";

/** What of the engine's functions is refused. The collations and the inner functions among them are left out. */
const REFUSED_FUNCTIONS = `
  can_cast_implicitly cast_to_type col_description combine constant_or_null create_sort_key
  current_catalog current_connection_id current_database current_query current_query_id
  current_role current_schema current_schemas current_setting current_transaction_id
  current_user currval finalize format_pg_type format_type get_block_size get_type getvariable
  has_any_column_privilege has_column_privilege has_database_privilege
  has_foreign_data_wrapper_privilege has_function_privilege has_language_privilege
  has_schema_privilege has_sequence_privilege has_server_privilege has_table_privilege
  has_tablespace_privilege icu_sort_key in_search_path inet_client_addr inet_client_port
  inet_server_addr inet_server_port is_histogram_other_bin json_deserialize_sql
  json_serialize_plan json_serialize_sql make_type map_to_pg_oid nextval obj_description
  parse_duckdb_log_message pg_collation_is_visible pg_conf_load_time pg_conversion_is_visible
  pg_function_is_visible pg_get_constraintdef pg_get_expr pg_get_viewdef pg_has_role
  pg_is_other_temp_schema pg_my_temp_schema pg_opclass_is_visible pg_operator_is_visible
  pg_opfamily_is_visible pg_postmaster_start_time pg_size_pretty pg_sleep pg_table_is_visible
  pg_ts_config_is_visible pg_ts_dict_is_visible pg_ts_parser_is_visible
  pg_ts_template_is_visible pg_type_is_visible pg_typeof remap_struct replace_type
  session_user shobj_description sleep_ms stats timetz_byte_comparable txid_current user
  variant_bytes_to_variant variant_normalize variant_to_parquet_variant vector_type write_log
`
  .trim()
  .split(/\s+/);

type Answers = Record<string, string>;

/** What each statement is answered with, in one session over good.csv. */
async function answers(
  statements: readonly (readonly [string, string])[],
  run: (engine: Engine, sql: string) => Promise<unknown>,
): Promise<Answers> {
  const { ctx } = recordedContext({}, new AbortController().signal);
  const out = await createOutputFile(workspace.host, ctx, 'out.csv');
  const request = {
    host: workspace.host,
    ctx,
    slots: new QuerySlots(1),
    tables: new Map([['good', { path: 'good.csv' }]]),
    outputPath: out.temporaryPath,
  };
  return withSession(request, async (engine) => {
    const found: Answers = {};
    for (const [what, sql] of statements) {
      const answer = await run(engine, sql).catch((error: unknown) => String(error));
      found[what] = typeof answer === 'string' ? answer : `answered ${JSON.stringify(answer)}`;
    }
    return found;
  });
}

/** Every statement with every path put in. */
function withPaths(
  statements: readonly [string, (path: string) => string][],
  paths: readonly string[],
): [string, string][] {
  return statements.flatMap(([what, sql]) =>
    paths.map((path): [string, string] => [`${what} of ${path}`, sql(`'${path}'`)]),
  );
}

const allMatch = (found: Answers, pattern: RegExp) =>
  Object.fromEntries(Object.keys(found).map((what) => [what, expect.stringMatching(pattern)]));

describe('a statement that a model sends', () => {
  const guarded = (statements: readonly (readonly [string, string])[]) =>
    answers(statements, (engine, sql) => checkStatement(engine, sql, ['good']));

  it('reads no file but by the tables of the call', async () => {
    const paths = ['/etc/passwd', secret, join(workspace.root, 'in/good.csv')];
    const found = await guarded(withPaths(READS, paths));
    expect(Object.keys(found)).toHaveLength(READS.length * paths.length);
    expect(found).toEqual(
      allMatch(found, /^ToolError: .*(?:is not allowed|there is no table|can not be parsed)/),
    );
  });

  it('is a SELECT', async () => {
    const found = await guarded(withPaths(STATEMENTS, [secret]));
    expect(found).toEqual(allMatch(found, /^ToolError: only SELECT statements are allowed/));
  });

  it('does not get at the server by a trick', async () => {
    const found = await guarded(TRICKS);
    expect(found).toEqual(
      allMatch(
        found,
        /^ToolError: .*(?:is not allowed|there is no table|only SELECT|can not give)/,
      ),
    );
  });

  it('may use what computes, and gives names of its own to common tables', async () => {
    const found = await answers(
      [
        'WITH good AS (FROM good WHERE id > 0) SELECT word FROM good',
        'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT sum(i) FROM n',
        'WITH columns AS (SELECT 1 AS a), tables AS MATERIALIZED (FROM columns) FROM tables',
        'SELECT * FROM (DESCRIBE good)',
        'SELECT * FROM (SUMMARIZE SELECT id FROM good)',
        "SELECT * FROM (PIVOT good ON word IN ('fine') USING count(*))",
        'SELECT * FROM (UNPIVOT good ON id::VARCHAR AS id, word)',
        "SELECT [x + 1 FOR x IN [1]], {'a': 1}.a, MAP {'k': 1}['k'], CAST(1 AS DECIMAL(3, 1))",
        'SELECT DISTINCT ON (id) id, rank() OVER w FROM good WINDOW w AS (ORDER BY id) ORDER BY ALL LIMIT 10',
        'SELECT id, sum(id) FROM good GROUP BY ROLLUP (id) HAVING true QUALIFY row_number() OVER () > 0',
        'SELECT * EXCLUDE (id) FROM good UNION ALL BY NAME SELECT word FROM good USING SAMPLE 10',
        "SELECT word COLLATE NOCASE, word SIMILAR TO 'a', word GLOB 'f*', nullif(id, 2) FROM good ASOF JOIN (VALUES (1)) AS o(i) ON id >= i",
        "SELECT ';', 1; -- done",
        `SELECT ';${'/**/'.repeat(5_000)}x'`,
      ].map((sql): [string, string] => [sql.slice(0, 200), sql]),
      async (engine, sql) =>
        (await selectRows(engine, await checkStatement(engine, sql, ['good']), 5, () => {})).rows
          .length,
    );
    expect(found).toEqual(allMatch(found, /^answered [1-9]/));
  });

  it('may not use what DuckDB brings anew, until somebody has looked at it', async () => {
    const { names = '' } = await answers([['names', FUNCTION_NAMES]], async (engine, sql) =>
      (await engine.query({ sql, values: [], maxRows: 1, maxLength: 100_000 })).rows.join(),
    );
    const isAllowed = (name: string) => FUNCTIONS.has(name) || TABLE_FUNCTIONS.has(name);
    expect(
      names
        .split(' ')
        .filter((name) => !isAllowed(name))
        .sort(),
    ).toEqual(REFUSED_FUNCTIONS);
  });

  it('is checked before it runs', async () => {
    await expect(query(`FROM read_text('${secret}')`)).rejects.toThrow(
      'the table function read_text is not allowed',
    );
    await expect(
      runTool(workspace.tool('data_convert'), {
        file: 'good.csv',
        to: 'csv',
        sql: `SELECT 1) TO '${secret}' (FORMAT csv); SELECT (1`,
      }),
    ).rejects.toThrow('the SQL can not be parsed');
    expect(await readFile(secret, 'utf8')).toContain(SECRET);
  });

  it.each([
    ['outside', '../secret.csv'],
    ['outside by an absolute path', '/etc/passwd'],
    ['a link that leads outside', 'link.csv'],
    ['a folder link that leads outside', 'up/secret.csv'],
    ['hidden', '.hidden.csv'],
    ['a pattern', '*.csv'],
    ['a URL', 'https://example.com/x.csv'],
    ['a file URL', 'file:///etc/passwd'],
    ['an S3 path', 's3://bucket/x.csv'],
    ['a NUL character', 'good.csv\0'],
    ['a device', '/dev/stdin'],
    ['a descriptor', '/proc/self/fd/0'],
  ])('does not name a file that is %s', async (_what, path) => {
    const run = query('SELECT * FROM good', path);
    await expect(run).rejects.toBeInstanceOf(ToolError);
    await expect(run).rejects.not.toThrow(SECRET);
  });
});

describe('the engine, should the guard ever miss something', () => {
  const locked =
    /Permission Error|has been locked|are disabled|is disabled|Catalog Error|Cannot|not support/;
  const unguarded = (statements: readonly (readonly [string, string])[]) =>
    answers(statements, (engine, sql) =>
      engine.query({ sql, values: [], maxRows: 10, maxLength: 100_000 }),
    );

  it('reads the files of the call and no others', async () => {
    const paths = [
      '/etc/passwd',
      '/proc/self/environ',
      secret,
      join(workspace.root, 'in/other.csv'),
    ];
    const reads = withPaths(READS, paths);
    const found = await unguarded([...reads, ['the file of the call', 'SELECT word FROM good']]);
    expect(found).toEqual({
      ...allMatch(found, locked),
      'the file of the call': expect.stringContaining('[["fine"]]'),
    });
  });

  it('writes and attaches nothing, and keeps its settings', async () => {
    const found = await unguarded(withPaths(STATEMENTS, [secret]));
    expect(found).toEqual(allMatch(found, locked));
    expect(await readFile(secret, 'utf8')).toContain(SECRET);
  });

  it('dies alone, and the call is an error', async () => {
    const run = answers([['x', 'SELECT 1']], async (engine) => {
      if (engine.pid !== undefined) process.kill(engine.pid, 'SIGABRT');
      return engine.query({ sql: 'SELECT 1', values: [], maxRows: 1, maxLength: 100 });
    });
    await expect(run).resolves.toEqual({
      x: expect.stringMatching(/^ToolError: DuckDB ended while it ran the query \(SIGABRT\)/),
    });
  });

  it('leaves no temporary files', async () => {
    await query(
      'SELECT count(*) FROM (SELECT range AS r FROM range(3000000) ORDER BY hash(range))',
    );
    expect(await readdir(join(workspace.host.dataDir, '.duckdb'))).toEqual([]);
  });
});

describe('a file that changes its meaning while a query runs', () => {
  it('is not read in its new meaning', async () => {
    const path = join(workspace.root, 'in/swap.csv');
    for (const replace of [
      async () => {
        await rm(path);
        await symlink(secret, path);
      },
      async () => {
        await rename(path, `${path}.old`);
        await link(secret, path);
      },
    ]) {
      await rm(path, { force: true });
      await workspace.write('swap.csv', 'id,word\n1,before\n');
      const { ctx } = recordedContext({}, new AbortController().signal);
      const answer = await withSession(
        {
          host: workspace.host,
          ctx,
          slots: new QuerySlots(1),
          tables: new Map([['t', { path: 'swap.csv' }]]),
        },
        async (engine) => {
          await replace();
          return selectRows(engine, 'SELECT word FROM t', 10, () => {});
        },
      ).catch((error: unknown) => String(error));
      expect(JSON.stringify(answer)).not.toContain(SECRET);
    }
  });

  it('is not read through a folder swapped for a link', async () => {
    await mkdir(join(workspace.root, 'in/folder'));
    await writeFile(join(workspace.root, 'in/folder/secret.csv'), 'id,word\n1,before\n');
    const { ctx } = recordedContext({}, new AbortController().signal);
    const tables = new Map([['t', { path: 'folder/secret.csv' }]]);
    const answer = await withSession(
      { host: workspace.host, ctx, slots: new QuerySlots(1), tables },
      async (engine) => {
        await rename(join(workspace.root, 'in/folder'), join(workspace.root, 'in/moved'));
        await symlink(workspace.root, join(workspace.root, 'in/folder'));
        return selectRows(engine, 'SELECT word FROM t', 10, () => {});
      },
    ).catch((error: unknown) => String(error));
    expect(JSON.stringify(answer)).not.toContain(SECRET);
  });
});
