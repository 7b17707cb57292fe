import type { AllowedDirectories } from '@longshore/plugin/files';
import sharp, { type Metadata, type SharpOptions } from 'sharp';
import { ImageFailure } from './image-failure.ts';
import { type ImageFormat, sniffFormat } from './image-format.ts';
import { MAX_FILE_BYTES, MAX_PIXELS } from './limits.ts';

export interface ImageBytes {
  readonly bytes: Buffer;
  readonly format: ImageFormat;
}

/**
 * Reads a file whole.
 *
 * @throws {ToolError} it can not be opened
 * @throws {ImageFailure} it is too large or no image
 */
export async function readImage(
  directories: AllowedDirectories,
  name: string,
): Promise<ImageBytes> {
  const file = await directories.open(name);
  try {
    if (file.sizeBytes > MAX_FILE_BYTES) {
      throw new ImageFailure(
        'FILE_TOO_LARGE',
        `${file.sizeBytes} bytes are more than ${MAX_FILE_BYTES}`,
      );
    }
    // Up to the size it had: a file that grows meanwhile does not fill the memory.
    const bytes = Buffer.alloc(file.sizeBytes);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.handle.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    const format = sniffFormat(bytes.subarray(0, length));
    if (format === null) {
      throw new ImageFailure('NOT_AN_IMAGE', 'is no JPEG, PNG, WebP, GIF, AVIF or TIFF');
    }
    return { bytes: bytes.subarray(0, length), format };
  } finally {
    await file.close();
  }
}

/** With the limits of all our work. @param animated all frames, not just the first */
export function readOptions(animated: boolean): SharpOptions {
  return { animated, failOn: 'error', limitInputPixels: MAX_PIXELS, sequentialRead: true };
}

/** What the head of the file says: no pixel is decoded here. */
export function readMetadata({ bytes }: ImageBytes, animated: boolean): Promise<Metadata> {
  return sharp(bytes, readOptions(animated)).metadata();
}
