import type { FileSink } from '../task-files/tool-file.ts';

/** A file that a tool has finished. */
export interface RecordedFile {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** The bytes as UTF-8. */
  readonly text: string;
}

/** Takes files in memory, by name. */
export function recordFiles(signal: AbortSignal): {
  readonly files: ReadonlyMap<string, RecordedFile>;
  open(file: { readonly name: string; readonly mimeType: string }): Promise<FileSink>;
} {
  const files = new Map<string, RecordedFile>();
  return {
    files,
    open: async ({ name, mimeType }) => {
      signal.throwIfAborted();
      const chunks: Uint8Array[] = [];
      return {
        write: async (chunk) => {
          signal.throwIfAborted();
          chunks.push(chunk);
        },
        close: async () => {
          signal.throwIfAborted();
          const bytes = Buffer.concat(chunks);
          files.set(name, { mimeType, bytes, text: bytes.toString('utf8') });
        },
        abort: async () => {},
      };
    },
  };
}
