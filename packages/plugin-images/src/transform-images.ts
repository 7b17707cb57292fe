import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eachLimited, Journal, type PluginHost, type ToolContext, z } from '@longshore/plugin';
import { AllowedDirectories, createOutputFolder, type OutputFolder } from '@longshore/plugin/files';
import type { Encoders } from './encoder.ts';
import { type Encoding, endingOf, keepsFrames } from './image-encoding.ts';
import { FAILURE_CODES, ImageFailure, toImageFailure } from './image-failure.ts';
import type { ImageFormat } from './image-format.ts';
import { findImages, type ImagePath } from './image-paths.ts';
import {
  CONCURRENT_FILES,
  FILE_TIMEOUT_MS,
  MAX_LISTED,
  MAX_OUTPUT_PIXELS,
  MAX_SIDE,
} from './limits.ts';
import { readImage, readMetadata, readOptions } from './read-image.ts';
import type { Size, Target } from './run-encoder.ts';

/** What a tool does with each image. */
export interface Transformation {
  /** `null`: the format it has. */
  readonly format: ImageFormat | null;
  readonly quality: number;
  /** Only the first frame of an animation. */
  readonly firstFrame?: boolean;
  /** @param size as it is seen, turned upright. @returns null to leave it as it is */
  target(size: Size): Target | null;
}

const Done = z.object({
  source: z.string(),
  path: z.string().describe('The new file, readable by other tools of the same user.'),
  format: z.string(),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
});

const Failed = z.object({
  source: z.string(),
  code: z.enum(FAILURE_CODES),
  message: z.string(),
});

/** What all tools that write images return. */
export const TransformationOutput = z.object({
  folder: z.string().describe('Where the new files are.'),
  done: z.int(),
  failed: z.int(),
  bytes_before: z.int().describe('Of the images that are done.'),
  bytes_after: z.int(),
  files: z.array(Done).describe(`The first ${MAX_LISTED}.`),
  failures: z.array(Failed).describe(`The first ${MAX_LISTED}.`),
});
type TransformationOutput = z.output<typeof TransformationOutput>;

/** What is kept of a file that is through: `name` is the new one's in the folder; null: it failed. */
const Entry = z.object({
  source: z.string(),
  name: z.string().nullable(),
  format: z.string(),
  width: z.int(),
  height: z.int(),
  bytesBefore: z.int(),
  bytes: z.int(),
  code: z.enum(FAILURE_CODES).nullable(),
  message: z.string(),
});
type Entry = z.output<typeof Entry>;

export interface TransformationRequest {
  readonly host: PluginHost;
  readonly ctx: ToolContext;
  readonly encoders: Encoders;
  readonly paths: readonly string[];
  /** Name of the folder to write to. */
  readonly folder: string;
  readonly transformation: Transformation;
}

/**
 * Writes a new image for each of the images that the paths mean. One that can not be read is a failure in
 * the result, not of the call. Files that are through are remembered, so that after a crash only the rest is
 * done; what is not on this worker's disk any more is done again.
 *
 * @throws {ToolError} wrong paths, wrong name of the folder
 */
export async function transformImages(
  request: TransformationRequest,
): Promise<TransformationOutput> {
  const { host, ctx, encoders, paths } = request;
  const directories = AllowedDirectories.of(host, ctx);
  const folder = createOutputFolder(host, ctx, request.folder);
  const images = await findImages(directories, paths, ctx);
  const entries = new Map<string, Entry>();
  const names = new OutputNames();
  const journal = await Journal.open(ctx.checkpoint, 'images', Entry, (entry) => {
    entries.set(entry.source, entry);
  });
  for (const entry of [...entries.values()]) {
    if (!(await isThere(folder, entry))) entries.delete(entry.source);
    else if (entry.name !== null) names.take(entry.name);
  }
  const report = (): void => {
    const failed = [...entries.values()].filter(({ name }) => name === null).length;
    const failures = failed === 0 ? '' : `, ${failed} failed`;
    ctx.progress(entries.size, images.length, `${entries.size} of ${images.length}${failures}`);
  };
  report();
  const waiting = images.filter(({ name }) => !entries.has(name));
  const limits = { concurrency: CONCURRENT_FILES, signal: ctx.signal };
  await encoders.open(() =>
    eachLimited(waiting, limits, async (image) => {
      const entry = await transformOne(request, directories, folder, names, image);
      entries.set(image.name, entry);
      await journal.add(entry);
      report();
    }),
  );
  await journal.save();
  return summary(
    folder,
    images.flatMap(({ name }) => entries.get(name) ?? []),
  );
}

async function transformOne(
  { ctx, encoders, transformation }: TransformationRequest,
  directories: AllowedDirectories,
  folder: OutputFolder,
  names: OutputNames,
  image: ImagePath,
): Promise<Entry> {
  const entry = { source: image.name, format: '', width: 0, height: 0, bytesBefore: 0, bytes: 0 };
  try {
    const read = await readImage(directories, image.name);
    const encoding: Encoding = {
      format: transformation.format ?? read.format,
      quality: transformation.quality,
    };
    const animated =
      transformation.firstFrame !== true && keepsFrames(read.format, encoding.format);
    const { autoOrient: upright, pages = 1, pageHeight } = await readMetadata(read, animated);
    const frames = animated ? pages : 1;
    const size = { width: upright.width, height: pageHeight ?? upright.height };
    const target = transformation.target(size);
    assertWritable(target ?? size, frames, encoding.format);
    const order = {
      ...encoding,
      bytes: read.bytes,
      open: readOptions(animated),
      timeoutMs: FILE_TIMEOUT_MS,
      target,
    };
    const { data, width, height } = await encoders.encode(order, ctx.signal);
    const name = names.next(image.shortName, endingOf(encoding.format));
    const bytes = await write(folder, name, data);
    const { format } = encoding;
    const bytesBefore = read.bytes.length;
    return { ...entry, name, format, width, height, bytesBefore, bytes, code: null, message: '' };
  } catch (error) {
    const failure = ctx.signal.aborted ? null : toImageFailure(error);
    if (failure === null) throw error;
    return { ...entry, name: null, code: failure.code, message: failure.message };
  }
}

function assertWritable({ width, height }: Size, frames: number, format: ImageFormat): void {
  const most = MAX_OUTPUT_PIXELS[format];
  const isTooLong = Math.max(width, height) > MAX_SIDE;
  if (!isTooLong && width * height * frames <= most) return;
  throw new ImageFailure(
    'TOO_MANY_PIXELS',
    `would become ${width} x ${height}${frames > 1 ? ` x ${frames} frames` : ''}: at most ${MAX_SIDE} a side and ${most} pixels are written as ${format}`,
  );
}

async function write(folder: OutputFolder, name: string, data: Uint8Array): Promise<number> {
  const file = await folder.file(name);
  try {
    file.grow(data.length);
    await writeFile(file.temporaryPath, data);
    return await file.commit();
  } finally {
    await file.discard();
  }
}

async function isThere(folder: OutputFolder, { name, bytes }: Entry): Promise<boolean> {
  if (name === null) return true;
  const stats = await stat(join(folder.path, name)).catch(() => null);
  return stats?.size === bytes;
}

function summary(folder: OutputFolder, entries: readonly Entry[]): TransformationOutput {
  const done: TransformationOutput['files'] = [];
  const failures: TransformationOutput['failures'] = [];
  let bytesBefore = 0;
  let bytesAfter = 0;
  for (const entry of entries) {
    const { source, name, code, message } = entry;
    if (name === null) {
      failures.push({ source, code: code ?? 'DAMAGED', message });
    } else {
      const { format, width, height, bytes } = entry;
      done.push({ source, path: join(folder.path, name), format, width, height, bytes });
      bytesBefore += entry.bytesBefore;
      bytesAfter += bytes;
    }
  }
  return {
    folder: folder.path,
    done: done.length,
    failed: failures.length,
    bytes_before: bytesBefore,
    bytes_after: bytesAfter,
    files: done.slice(0, MAX_LISTED),
    failures: failures.slice(0, MAX_LISTED),
  };
}

/** Longest part of a name, in UTF-16 units; any system takes that, also with a number and an ending. */
const LONGEST_PART = 60;

/**
 * Names for what is made of files: the old one with another ending, a number behind those that would be
 * the same (`a.jpg` and `a.png` become `a.webp` and `a-2.webp`). Case does not make a difference, because it
 * does not on every disk.
 */
class OutputNames {
  readonly #taken = new Set<string>();

  /** A name that an earlier attempt gave. */
  take(name: string): void {
    this.#taken.add(name.toLowerCase());
  }

  /** @param shortName with `/` between folders */
  next(shortName: string, ending: string): string {
    const parts = shortName.split('/').map(plainPart);
    const stem = parts.join('/').replace(/(?<=[^/])\.[^./]*$/, '');
    for (let number = 1; ; number += 1) {
      const name = `${stem}${number === 1 ? '' : `-${number}`}.${ending}`;
      if (this.#taken.has(name.toLowerCase())) continue;
      this.take(name);
      return name;
    }
  }
}

/** Without what a file's name may not hold on some system. */
function plainPart(part: string): string {
  const ending = /\.[^.]{1,8}$/.exec(part)?.[0] ?? '';
  const stem = part.slice(0, part.length - ending.length).slice(0, LONGEST_PART);
  return `${stem}${ending}`
    .replaceAll(/[\p{Cc}\p{Cs}\\:*?"<>|]/gu, '_')
    .replace(/^\./, '_')
    .replace(/^$/, '_');
}
