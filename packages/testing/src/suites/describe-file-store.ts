import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { ByteRange, FileStore } from '@longshore/core';
import { jestGlobals } from '../jest-globals.ts';

export interface FileStoreUnderTest {
  readonly store: FileStore;
  /** Size of a file that the store can not take in one piece, and a bit. */
  readonly largeBytes: number;
}

/**
 * The tests every `FileStore` passes.
 *
 * @param get called in each test: the store, which may have other files
 */
export function describeFileStore(name: string, get: () => FileStoreUnderTest): void {
  const { describe, expect, it } = jestGlobals();
  const never = new AbortController().signal;
  const write = (key: string, ...chunks: Uint8Array[]): Promise<void> =>
    get().store.write(key, fromList(chunks), never);
  const read = async (key: string, range: ByteRange): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of get().store.read(key, range, never)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const isThere = (key: string): Promise<boolean> =>
    read(key, { start: 0, end: 1 }).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'FILE_STORE_UNAVAILABLE' });
        return false;
      },
    );

  describe(`${name} as a file store`, () => {
    it('gives back what was written, whole and in parts', async () => {
      const key = randomUUID();
      await write(key, Buffer.from('hello '), Buffer.from('wide '), Buffer.from('world'));
      expect((await read(key, { start: 0, end: 16 })).toString()).toBe('hello wide world');
      expect((await read(key, { start: 6, end: 10 })).toString()).toBe('wide');
      expect((await read(key, { start: 15, end: 16 })).toString()).toBe('d');
      expect((await read(key, { start: 4, end: 4 })).toString()).toBe('');
    });

    it('takes an empty file', async () => {
      const key = randomUUID();
      await write(key);
      expect(await read(key, { start: 0, end: 0 })).toEqual(Buffer.alloc(0));
      await get().store.delete(key);
    });

    it('takes a file that is larger than it can hold', async () => {
      const key = randomUUID();
      const bytes = counted(get().largeBytes);
      const chunks: Uint8Array[] = [];
      for (let start = 0; start < bytes.length; start += 100_000) {
        chunks.push(bytes.subarray(start, start + 100_000));
      }
      await write(key, ...chunks);
      expect((await read(key, { start: 0, end: bytes.length })).equals(bytes)).toBe(true);
      const end = bytes.length - 3;
      expect(await read(key, { start: end - 10, end })).toEqual(bytes.subarray(end - 10, end));
    });

    it('reads its source no faster than it stores', async () => {
      const source = new PassThrough({ highWaterMark: 1_000 });
      const stored = get().store.write(randomUUID(), source, never);
      const bytes = counted(get().largeBytes);
      let waits = 0;
      for (let start = 0; start < bytes.length; start += 50_000) {
        if (source.write(bytes.subarray(start, start + 50_000))) continue;
        waits += 1;
        await new Promise((resolve) => source.once('drain', resolve));
      }
      source.end();
      await stored;
      expect(waits).toBeGreaterThan(1);
    });

    it.each([
      ['at once', 0],
      ['in the middle', 0.5],
      ['at the end', 1],
    ])('has nothing of a file whose source fails %s', async (_when, share) => {
      const key = randomUUID();
      const failing = async function* (): AsyncGenerator<Uint8Array> {
        yield counted(Math.floor(get().largeBytes * share));
        throw new RangeError('out of bytes');
      };
      await expect(get().store.write(key, failing(), never)).rejects.toThrow('out of bytes');
      expect(await isThere(key)).toBe(false);
    });

    it('gives up when the signal fires, also while the source hangs', async () => {
      const key = randomUUID();
      const controller = new AbortController();
      const source = new PassThrough();
      source.write(counted(10_000));
      const stored = get().store.write(key, source, controller.signal);
      controller.abort(new Error('cancelled'));
      await expect(stored).rejects.toThrow('cancelled');
      expect(await isThere(key)).toBe(false);
    });

    it('stops reading when the signal fires, and when the reader leaves', async () => {
      const key = randomUUID();
      const bytes = counted(get().largeBytes);
      await write(key, bytes);
      const controller = new AbortController();
      const range = { start: 0, end: bytes.length };
      const reading = async (): Promise<void> => {
        for await (const _chunk of get().store.read(key, range, controller.signal)) {
          controller.abort(new Error('enough'));
        }
      };
      await expect(reading()).rejects.toThrow('enough');
      for await (const chunk of get().store.read(key, range, never)) {
        expect(chunk.length).toBeGreaterThan(0);
        break;
      }
    });

    it('deletes, also what is not there', async () => {
      const key = randomUUID();
      await write(key, Buffer.from('x'));
      expect(await isThere(key)).toBe(true);
      await get().store.delete(key);
      expect(await isThere(key)).toBe(false);
      await expect(get().store.delete(key)).resolves.toBeUndefined();
    });

    it('does not pretend that a file is longer than it is', async () => {
      const key = randomUUID();
      await write(key, Buffer.from('short'));
      await expect(read(key, { start: 0, end: 6 })).rejects.toMatchObject({
        code: 'FILE_STORE_UNAVAILABLE',
        retryable: true,
      });
    });

    it.each(['../escape', 'a/b', '', 'x y', '.', 'ä'.repeat(3)])(
      'takes no key that is not one: %j',
      async (key) => {
        await expect(write(key, Buffer.from('x'))).rejects.toThrow(TypeError);
      },
    );
  });
}

async function* fromList(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Bytes that tell where they are: no two places look the same for long. */
function counted(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(at, at);
  return bytes;
}
