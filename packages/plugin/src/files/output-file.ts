import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileExcess } from '../file-limits.ts';
import type { PluginHost } from '../plugin.ts';
import type { ToolContext } from '../tool-context.ts';
import { ToolError } from '../tool-error.ts';
import { FileUsage } from './file-usage.ts';

const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
/** Neither hidden nor a step up; no separator of any system. */
const PLAIN_SEGMENT = /^[^.\p{Cc}/\\:][^\p{Cc}/\\:]*$/u;
const PLAIN_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * A file that a tool writes. Until `commit` it has a temporary name, so a killed attempt leaves no half
 * file under the final one, and a retry replaces what the attempt before it wrote.
 */
export interface OutputFile {
  /** Write here: an empty file that nobody else may read. */
  readonly temporaryPath: string;
  /** Where the file will be; readable for tools of the same principal. */
  readonly path: string;
  /**
   * Tells how many bytes the file has by now, before or while they are written.
   *
   * @throws {ToolError} it may not be so large, or all files of its principal may not
   */
  grow(bytes: number): void;
  /**
   * Has it written by what does not tell how much that is, such as another program, and looks at its size
   * meanwhile.
   *
   * @param write its signal fires when the file is too large, with that as its reason, and when `signal` does
   */
  watch<T>(signal: AbortSignal, write: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Gives the file its name. @returns its size in bytes @throws {ToolError} as `grow` */
  commit(): Promise<number>;
  /** Removes the temporary file, if it is still there. */
  discard(): Promise<void>;
}

/** What tools need to know of the host to write files. */
type FileHost = Pick<PluginHost, 'dataDir' | 'fileLimits'>;

/** Where the files of one principal are: tools running for others can not read them. */
export function principalDirectory(
  host: Pick<PluginHost, 'dataDir'>,
  ctx: Pick<ToolContext, 'principal'>,
): string {
  return join(host.dataDir, segment(ctx.principal));
}

/**
 * Prepares a file in the host's `dataDir`, in a folder of the task's own.
 *
 * @param name 1 to 128 letters, digits, '.', '_' and '-', not starting with '.' or '-'
 * @throws {ToolError} for any other name
 */
export async function createOutputFile(
  host: FileHost,
  ctx: Pick<ToolContext, 'principal' | 'taskId'>,
  name: string,
): Promise<OutputFile> {
  assertFileName(name);
  return outputFile(host, ctx, taskDirectory(host, ctx), name);
}

/** A folder of files that a tool writes, for tools that make many. */
export interface OutputFolder {
  /** Where it will be; readable for tools of the same principal. */
  readonly path: string;
  /**
   * Prepares a file in it.
   *
   * @param name with `/` between folders; letters of any script and spaces are fine in it
   * @throws {ToolError} a part that is empty, starts with a dot, is over 255 bytes or holds control characters
   */
  file(name: string): Promise<OutputFile>;
}

/**
 * Prepares a folder beside the files of `createOutputFile`.
 *
 * @param name as there
 * @throws {ToolError} for any other name
 */
export function createOutputFolder(
  host: FileHost,
  ctx: Pick<ToolContext, 'principal' | 'taskId'>,
  name: string,
): OutputFolder {
  assertFileName(name);
  const folder = join(taskDirectory(host, ctx), name);
  return {
    path: folder,
    file: async (wanted) => {
      const segments = wanted.split('/');
      if (!segments.every(isPlainSegment)) {
        throw new ToolError(`${JSON.stringify(wanted.slice(0, 200))} is no name for a file`);
      }
      return outputFile(host, ctx, join(folder, ...segments.slice(0, -1)), segments.at(-1) ?? '');
    },
  };
}

/** Between two looks at a file that something else writes, in milliseconds. */
const WATCH_INTERVAL_MS = 50;

async function outputFile(
  host: FileHost,
  ctx: Pick<ToolContext, 'principal'>,
  directory: string,
  name: string,
): Promise<OutputFile> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, name);
  const temporaryPath = join(directory, `.${randomUUID()}.partial`);
  await (await open(temporaryPath, 'wx', 0o600)).close();
  const usage = await FileUsage.of(principalDirectory(host, ctx));
  const grow = (bytes: number): void => {
    usage.grow(temporaryPath, bytes);
    const excess = fileExcess(
      name,
      { fileBytes: bytes, principalBytes: usage.bytes },
      host.fileLimits,
    );
    if (excess !== null) throw excess;
  };
  return {
    path,
    temporaryPath,
    grow,
    watch: (signal, write) => watch(temporaryPath, grow, signal, write),
    commit: async () => {
      const { size } = await stat(temporaryPath);
      grow(size);
      await rename(temporaryPath, path);
      usage.keep(temporaryPath);
      return size;
    },
    discard: async () => {
      await rm(temporaryPath, { force: true });
      usage.drop(temporaryPath);
    },
  };
}

async function watch<T>(
  path: string,
  grow: (bytes: number) => void,
  signal: AbortSignal,
  write: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const look = async (): Promise<void> => {
    try {
      grow((await stat(path)).size);
    } catch (error) {
      stop.abort(error);
    }
  };
  const timer = setInterval(() => void look(), WATCH_INTERVAL_MS);
  try {
    return await write(AbortSignal.any([signal, stop.signal]));
  } finally {
    clearInterval(timer);
  }
}

function taskDirectory(
  host: Pick<PluginHost, 'dataDir'>,
  ctx: Pick<ToolContext, 'principal' | 'taskId'>,
): string {
  return join(principalDirectory(host, ctx), segment(ctx.taskId));
}

/** @throws {ToolError} */
function assertFileName(name: string): void {
  if (FILE_NAME.test(name)) return;
  throw new ToolError(
    `${JSON.stringify(name.slice(0, 200))} is no file name: use 1 to 128 letters, digits, '.', '_' and '-', without folders`,
  );
}

function isPlainSegment(part: string): boolean {
  return PLAIN_SEGMENT.test(part) && Buffer.byteLength(part) <= 255;
}

/** Ids are ours and plain; one that is not can still not climb out of its place. */
function segment(id: string): string {
  return PLAIN_ID.test(id) ? id : createHash('sha256').update(id).digest('hex');
}
