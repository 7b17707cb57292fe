import { defineTool, type PluginHost, type Tool, ToolError, z } from '@longshore/plugin';
import type { Encoders } from './encoder.ts';
import { FolderInput, FormatInput, QualityInput } from './image-encoding.ts';
import { PathsInput } from './image-paths.ts';
import { MAX_SIDE } from './limits.ts';
import type { Size, Target } from './run-encoder.ts';
import { type Transformation, TransformationOutput, transformImages } from './transform-images.ts';

const Side = z.int().min(1).max(MAX_SIDE);

const input = z.strictObject({
  paths: PathsInput,
  width: Side.optional().describe('Pixels. Width, height or both.'),
  height: Side.optional().describe('Pixels.'),
  fit: z
    .enum(['inside', 'cover', 'contain', 'fill'])
    .default('inside')
    .describe(
      'With both sides: inside keeps the shape within them, cover cuts what is over, contain adds background, fill stretches.',
    ),
  enlarge: z.boolean().default(false).describe('Also make images larger that are smaller.'),
  background: z
    .string()
    .regex(/^#[0-9a-f]{6}([0-9a-f]{2})?$/i, 'use #rrggbb or #rrggbbaa')
    .default('#ffffff')
    .describe('For fit: contain.'),
  format: FormatInput.optional().describe('The one it has unless given.'),
  quality: QualityInput,
  folder: FolderInput,
});
type Input = z.output<typeof input>;

export function imagesResize(host: PluginHost, encoders: Encoders): Tool {
  return defineTool({
    name: 'images_resize',
    title: 'Resize images',
    description:
      'Resizes images (JPEG, PNG, WebP, GIF, AVIF, TIFF) to a width, a height or both, turned upright, and writes the results to a new folder; the originals stay as they are. Takes files, folders and patterns, up to 10,000 images; those that can not be read are listed as failures. Metadata such as the place a photo was taken at is left out.',
    input,
    output: TransformationOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    task: { queue: 'images', timeoutMs: 3_600_000, attempts: 3 },
    run(request, ctx) {
      if (request.width === undefined && request.height === undefined) {
        throw new ToolError('say a width, a height or both');
      }
      const transformation: Transformation = {
        format: request.format ?? null,
        quality: request.quality,
        target: (size) => targetOf(size, request),
      };
      const { paths, folder = 'resized' } = request;
      return transformImages({ host, ctx, encoders, paths, folder, transformation });
    },
  });
}

function targetOf(size: Size, request: Input): Target | null {
  const { width, height, enlarge, background } = request;
  const fit = width === undefined || height === undefined ? 'inside' : request.fit;
  if (fit === 'inside') {
    const ratio = Math.min(
      (width ?? Number.POSITIVE_INFINITY) / size.width,
      (height ?? Number.POSITIVE_INFINITY) / size.height,
    );
    if (ratio === 1 || (ratio > 1 && !enlarge)) return null;
    return { ...scaled(size, ratio), fit: 'fill' };
  }
  const wanted = { width: width ?? size.width, height: height ?? size.height };
  if (enlarge) return { ...wanted, fit, background };
  // Without enlarging, the wanted shape at the largest size the image has pixels for.
  const ratios = [size.width / wanted.width, size.height / wanted.height];
  const enough = fit === 'contain' ? Math.max(...ratios) : Math.min(...ratios);
  return { ...scaled(wanted, Math.min(1, enough)), fit, background };
}

function scaled({ width, height }: Size, ratio: number): Size {
  return {
    width: Math.max(1, Math.round(width * ratio)),
    height: Math.max(1, Math.round(height * ratio)),
  };
}
