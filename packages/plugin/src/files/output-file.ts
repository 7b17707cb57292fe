import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PluginHost } from '../plugin.ts';
import type { ToolContext } from '../tool-context.ts';
import { ToolError } from '../tool-error.ts';

const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
/** Neither hidden nor a step up; no separator of any system. */
const PLAIN_SEGMENT = /^[^.\p{Cc}/\\:][^\p{Cc}/\\:]*$/u;
const PLAIN_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * A file that a tool writes. Until `commit` it has a temporary name, so a killed attempt leaves no half
 * file under the final one, and a retry replaces what the attempt before it wrote.
 */
export interface OutputFile {
  /** Write here. */
  readonly temporaryPath: string;
  /** Where the file will be; readable for tools of the same principal. */
  readonly path: string;
  /** Gives the file its name. @returns its size in bytes */
  commit(): Promise<number>;
  /** Removes the temporary file, if it is still there. */
  discard(): Promise<void>;
}

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
  host: Pick<PluginHost, 'dataDir'>,
  ctx: Pick<ToolContext, 'principal' | 'taskId'>,
  name: string,
): Promise<OutputFile> {
  assertFileName(name);
  return outputFile(taskDirectory(host, ctx), name);
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
  host: Pick<PluginHost, 'dataDir'>,
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
      return outputFile(join(folder, ...segments.slice(0, -1)), segments.at(-1) ?? '');
    },
  };
}

async function outputFile(directory: string, name: string): Promise<OutputFile> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, name);
  const temporaryPath = join(directory, `.${randomUUID()}.partial`);
  return {
    path,
    temporaryPath,
    commit: async () => {
      await rename(temporaryPath, path);
      return (await stat(path)).size;
    },
    discard: () => rm(temporaryPath, { force: true }),
  };
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
