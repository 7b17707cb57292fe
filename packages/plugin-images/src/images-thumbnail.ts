import { defineTool, type PluginHost, type Tool, z } from '@longshore/plugin';
import type { Encoders } from './encoder.ts';
import { FolderInput, FormatInput, QualityInput } from './image-encoding.ts';
import { PathsInput } from './image-paths.ts';
import type { Size, Target } from './run-encoder.ts';
import { TransformationOutput, transformImages } from './transform-images.ts';

const input = z.strictObject({
  paths: PathsInput,
  size: z.int().min(16).max(1_024).default(256).describe('Of the longer side, in pixels.'),
  square: z
    .boolean()
    .default(false)
    .describe('Cut to a square around what is likely to matter in the image.'),
  format: FormatInput.default('webp').describe('Of the thumbnails.'),
  quality: QualityInput,
  folder: FolderInput,
});

export function imagesThumbnail(host: PluginHost, encoders: Encoders): Tool {
  return defineTool({
    name: 'images_thumbnail',
    title: 'Make thumbnails',
    description:
      'Makes small previews of images (JPEG, PNG, WebP, GIF, AVIF, TIFF) of one size, in their shape or cut to squares, and writes them to a new folder. Takes files, folders and patterns, up to 10,000 images; those that can not be read are listed as failures.',
    input,
    output: TransformationOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    task: { queue: 'images', timeoutMs: 3_600_000, attempts: 3 },
    run: ({ paths, size, square, format, quality, folder = 'thumbnails' }, ctx) =>
      transformImages({
        host,
        ctx,
        encoders,
        paths,
        folder,
        transformation: {
          format,
          quality,
          firstFrame: true,
          target: (full) => (square ? squareOf(full, size) : within(full, size)),
        },
      }),
  });
}

function squareOf({ width, height }: Size, size: number): Target {
  const side = Math.min(size, width, height);
  return { width: side, height: side, fit: 'cover', attention: true };
}

function within({ width, height }: Size, size: number): Target | null {
  const ratio = size / Math.max(width, height);
  if (ratio >= 1) return null;
  return {
    width: Math.max(1, Math.round(width * ratio)),
    height: Math.max(1, Math.round(height * ratio)),
    fit: 'fill',
  };
}
