import { z } from '@longshore/plugin';
import { ENDINGS, type ImageFormat, WRITABLE_FORMATS } from './image-format.ts';

export const FormatInput = z.enum(WRITABLE_FORMATS);

export const QualityInput = z
  .int()
  .min(1)
  .max(100)
  .default(80)
  .describe('Of JPEG, WebP and AVIF; the others are written without loss.');

export const FolderInput = z
  .string()
  .optional()
  .describe('Name of the folder to write to, in the place for files of this task.');

export interface Encoding {
  readonly format: ImageFormat;
  readonly quality: number;
}

/** Formats that hold several frames. */
const ANIMATED: ReadonlySet<ImageFormat> = new Set(['gif', 'webp']);

/** Whether frames survive. */
export function keepsFrames(from: ImageFormat, to: ImageFormat): boolean {
  return ANIMATED.has(from) && ANIMATED.has(to);
}

export function endingOf(format: ImageFormat): string {
  return ENDINGS[format];
}
