import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type ByteRange, type FileStore, LongshoreError } from '@longshore/core';
import { checkKey } from './file-key.ts';
import { unavailable } from './unavailable.ts';
import { untilAborted } from './until-aborted.ts';

const READ_BYTES = 65_536;

/**
 * Files in a directory, for processes of one machine. A file is written under another name, and gets its own
 * once all of it is on the disk.
 */
export class LocalFileStore implements FileStore {
  readonly #directory: string;

  /** @param directory absolute; made when it is not there */
  constructor(directory: string) {
    this.#directory = directory;
  }

  async write(key: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    const file = this.#path(key);
    const part = partOf(file);
    const handle = await onDisk('opening a file', async () => {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      return open(part, 'wx', 0o600);
    });
    try {
      await copy(source, handle, signal);
      await onDisk('writing a file', async () => {
        await handle.sync();
        await handle.close();
        await rename(part, file);
      });
    } catch (error) {
      await handle.close().catch(() => {});
      await rm(part, { force: true }).catch(() => {});
      throw error;
    }
  }

  async *read(key: string, range: ByteRange, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const handle = await onDisk('opening a file', () => open(this.#path(key), 'r'));
    try {
      for (let position = range.start; position < range.end; ) {
        signal.throwIfAborted();
        const length = Math.min(READ_BYTES, range.end - position);
        const chunk = Buffer.allocUnsafe(length);
        const at = position;
        const { bytesRead } = await onDisk('reading a file', () =>
          handle.read(chunk, 0, length, at),
        );
        if (bytesRead === 0) {
          throw new LongshoreError('FILE_STORE_UNAVAILABLE', 'a file is shorter than it was');
        }
        position += bytesRead;
        yield chunk.subarray(0, bytesRead);
      }
    } finally {
      await handle.close().catch(() => {});
    }
  }

  async delete(key: string): Promise<void> {
    const file = this.#path(key);
    await onDisk('deleting a file', async () => {
      await rm(file, { force: true });
      // Of a process that was killed while it wrote.
      await rm(partOf(file), { force: true });
    });
  }

  /** In folders by the first two characters: 256 of them for UUIDs. */
  #path(key: string): string {
    return path.join(this.#directory, checkKey(key).slice(0, 2), key);
  }
}

const partOf = (file: string): string => `${file}.part`;

async function copy(
  source: AsyncIterable<Uint8Array>,
  handle: FileHandle,
  signal: AbortSignal,
): Promise<void> {
  for await (const chunk of untilAborted(source, signal)) {
    await onDisk('writing a file', async () => {
      for (let written = 0; written < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, written);
        written += bytesWritten;
      }
    });
  }
}

async function onDisk<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(what, error);
  }
}
