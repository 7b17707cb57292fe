/** Bytes from `start` on, up to and without `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the bytes of files are. It knows nothing of tasks and owners; who may read what is decided where the
 * keys are. Passes `describeFileStore` of `@longshore/testing`.
 *
 * All methods throw LongshoreError FILE_STORE_UNAVAILABLE, which is retryable, when the store does not answer.
 */
export interface FileStore {
  /**
   * Stores all of `source`, reading it no faster than the store takes it. Until it resolves there is nothing
   * under the key, and there is nothing when it rejects.
   *
   * @param key 2 to 200 characters of `[A-Za-z0-9-]`, never used before
   * @param signal gives up; its reason is thrown
   * @throws whatever `source` throws
   */
  write(key: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
  /**
   * The bytes of a range that lies within the file. Leaving the loop early lets go of everything.
   *
   * @throws {LongshoreError} FILE_STORE_UNAVAILABLE also when there is no such file, or a shorter one
   */
  read(key: string, range: ByteRange, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Also of what is not there. */
  delete(key: string): Promise<void>;
}
