import type { ImageFormat } from './image-format.ts';

/** Files of one call. */
export const MAX_FILES = 10_000;

/** 64 MiB: a file is read whole, and four may be at once. */
export const MAX_FILE_BYTES = 67_108_864;

/**
 * Width times height times frames, of what is read and of what is written: 100 megapixels, 400 MB when all of
 * it has to be in memory. A file of some kilobytes can claim gigapixels.
 */
export const MAX_PIXELS = 100_000_000;

/**
 * Width times height times frames of a result, where the format's encoder needs more memory for each pixel than
 * the image itself: AVIF about 24 bytes, WebP 40, GIF 11. A photo of 24 megapixels is fine in all of them.
 */
export const MAX_OUTPUT_PIXELS: Readonly<Record<ImageFormat, number>> = {
  jpeg: MAX_PIXELS,
  png: MAX_PIXELS,
  tiff: MAX_PIXELS,
  gif: 50_000_000,
  webp: 25_000_000,
  avif: 25_000_000,
};

/** Private memory of a process that encodes, in KiB. */
export const ENCODER_MEMORY_KIB = 1_500_000;

/** Images that a worker encodes at once, whatever many calls there are. */
export const CONCURRENT_ENCODERS = 2;

/** Longest side of a result, which every format but WebP (16,383) allows. */
export const MAX_SIDE = 16_384;

/** Longest work on one file. */
export const FILE_TIMEOUT_MS = 60_000;

/** Files worked on at once by one call. */
export const CONCURRENT_FILES = 2;

/** Entries of each list in a result; the numbers are of all. */
export const MAX_LISTED = 200;
