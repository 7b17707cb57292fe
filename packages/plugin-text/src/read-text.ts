import { ToolError } from '@longshore/plugin';
import type { AllowedFile } from '@longshore/plugin/files';

/** 64 KiB: large enough to be fast, small enough that an abort is noticed within milliseconds. */
const CHUNK_BYTES = 65_536;

/** A part of a file's text. Parts never split a character. */
export interface TextPart {
  readonly text: string;
  /** Bytes of the file read so far, this part included. */
  readonly bytesRead: number;
}

/**
 * Reads a file as UTF-8, part by part, in bounded memory. A byte order mark is left out.
 *
 * @throws {ToolError} a binary file (NUL bytes, another encoding's byte order mark) or invalid UTF-8
 * @throws the signal's reason when it fires
 */
export async function* readText(
  file: AllowedFile,
  signal: AbortSignal,
): AsyncGenerator<TextPart, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let bytesRead = 0;
  for (;;) {
    signal.throwIfAborted();
    const read = await file.handle.read(buffer, 0, CHUNK_BYTES, bytesRead);
    const bytes = buffer.subarray(0, read.bytesRead);
    if (bytesRead === 0) assertNotUtf16(file, bytes);
    bytesRead += bytes.length;
    const done = bytes.length === 0;
    const text = decode(file, decoder, bytes, done, bytesRead);
    if (text.includes('\0')) {
      throw new ToolError(`${file.name} is a binary file (it has NUL characters), not text`);
    }
    if (text !== '') yield { text, bytesRead };
    if (done) return;
  }
}

function decode(
  file: AllowedFile,
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Uint8Array,
  done: boolean,
  bytesRead: number,
): string {
  try {
    return decoder.decode(bytes, { stream: !done });
  } catch (cause) {
    throw new ToolError(
      `${file.name} is not UTF-8 text (invalid bytes before byte ${bytesRead}); convert it to UTF-8 first`,
      { cause },
    );
  }
}

function assertNotUtf16(file: AllowedFile, bytes: Buffer): void {
  const mark = bytes.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') {
    throw new ToolError(`${file.name} is UTF-16 text; convert it to UTF-8 first`);
  }
}
