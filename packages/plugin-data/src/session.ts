import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type PluginHost, type ToolContext, ToolError } from '@longshore/plugin';
import { AllowedDirectories, type AllowedFile } from '@longshore/plugin/files';
import { DuckDBError, Engine } from './engine/engine.ts';
import { explainError, type KnownFile } from './explain-error.ts';
import type { QuerySlots } from './query-slots.ts';
import { literal } from './sql-text.ts';
import { createView, type TableSource } from './table-source.ts';

/** Descriptors 0 to 3 of the engine's process are its standard streams and its channel. */
const FIRST_DESCRIPTOR = 4;

/** Deeper trees are expensive far out of proportion (900 nested lists took 18 s). */
const MAX_EXPRESSION_DEPTH = 200;

/** A day; attempts are ended after an hour. */
const STALE_MS = 86_400_000;

/** What a session needs of the run it is for: that of a tool, or of an item of one. */
export interface SessionContext extends Pick<ToolContext, 'signal' | 'principal'> {
  readonly statusMessage?: ToolContext['statusMessage'];
}

export interface SessionRequest {
  readonly host: PluginHost;
  readonly ctx: SessionContext;
  readonly slots: QuerySlots;
  /** Tables by name. */
  readonly tables: ReadonlyMap<string, TableSource>;
  /** Files of ours that statements of ours may read and write. */
  readonly ownPaths?: readonly string[];
}

/**
 * Gives `work` an engine that holds one view for each file and can reach nothing else: external access is
 * off but for exactly these files, and the configuration is locked.
 *
 * On Linux the engine gets the files as open descriptors and reads them as /proc/self/fd/N, so what was
 * checked is what is read, whatever happens to the path meanwhile. Elsewhere it opens the real path.
 *
 * @throws {ToolError} for files that can not be read and for statements DuckDB refuses
 * @throws the signal's reason when it fires
 */
export async function withSession<Result>(
  request: SessionRequest,
  work: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const { ctx, slots } = request;
  let waited = false;
  const release = await slots.take(ctx.signal, () => {
    waited = true;
    ctx.statusMessage?.('waiting for other queries of this worker to end');
  });
  // Else the task would be said to wait until its end, and beyond.
  if (waited) ctx.statusMessage?.('running');
  const files: OpenTable[] = [];
  try {
    await openFiles(request, files);
    return await withEngine(request, files, work);
  } catch (error) {
    if (error instanceof DuckDBError) {
      throw new ToolError(explainError(error, files), { cause: error });
    }
    throw error;
  } finally {
    release();
    await Promise.all(files.map(({ file }) => file.close()));
  }
}

async function withEngine<Result>(
  { host, ctx, ownPaths = [] }: SessionRequest,
  files: readonly OpenTable[],
  work: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const temporaryParent = join(host.dataDir, '.duckdb');
  const temporaryDirectory = join(temporaryParent, randomUUID());
  await mkdir(temporaryDirectory, { recursive: true });
  try {
    await removeStale(temporaryParent);
    const engine = await Engine.start({
      signal: ctx.signal,
      descriptors: files.map(({ file }) => file.handle.fd),
      temporaryDirectory,
    });
    try {
      await prepare(engine, files, ownPaths);
      return await work(engine);
    } finally {
      await engine.close();
    }
  } finally {
    await rm(temporaryDirectory, { recursive: true, force: true });
  }
}

interface OpenTable extends KnownFile {
  readonly name: string;
  readonly source: TableSource;
  readonly file: AllowedFile;
}

async function openFiles(request: SessionRequest, files: OpenTable[]): Promise<void> {
  const directories = AllowedDirectories.of(request.host, request.ctx);
  const hasDescriptors = existsSync('/proc/self/fd');
  for (const [name, source] of request.tables) {
    const file = await directories.open(source.path);
    const readPath = hasDescriptors
      ? `/proc/self/fd/${FIRST_DESCRIPTOR + files.length}`
      : file.path;
    files.push({ name, source, file, readPath });
  }
}

async function prepare(
  engine: Engine,
  files: readonly OpenTable[],
  ownPaths: readonly string[],
): Promise<void> {
  const allowed = [...files.map(({ readPath }) => readPath), ...ownPaths];
  const settings = [
    "SET TimeZone='UTC'",
    `SET max_expression_depth=${MAX_EXPRESSION_DEPTH}`,
    'SET enable_progress_bar=true',
    'SET enable_progress_bar_print=false',
    `SET allowed_paths=[${allowed.map(literal).join(', ')}]`,
    'SET enable_external_access=false',
    'SET lock_configuration=true',
  ];
  for (const setting of settings) await engine.execute(setting);
  for (const { name, source, file, readPath } of files) {
    await createView(engine, name, source, file, readPath);
  }
}

/** Removes what engines left whose worker was killed, once no attempt can still be using it. */
async function removeStale(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    const stats = await stat(path).catch(() => null);
    if (stats !== null && Date.now() - stats.mtimeMs > STALE_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
