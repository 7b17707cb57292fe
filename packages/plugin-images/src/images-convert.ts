import { defineTool, type PluginHost, type Tool, z } from '@longshore/plugin';
import type { Encoders } from './encoder.ts';
import { FolderInput, FormatInput, QualityInput } from './image-encoding.ts';
import { PathsInput } from './image-paths.ts';
import { TransformationOutput, transformImages } from './transform-images.ts';

const input = z.strictObject({
  paths: PathsInput,
  to: FormatInput.describe('The format to write.'),
  quality: QualityInput,
  folder: FolderInput,
});

export function imagesConvert(host: PluginHost, encoders: Encoders): Tool {
  return defineTool({
    name: 'images_convert',
    title: 'Convert images',
    description:
      'Converts images (JPEG, PNG, WebP, GIF, AVIF, TIFF) to another of these formats, in their size and turned upright, and writes the results to a new folder; the originals stay as they are. Takes files, folders and patterns, up to 10,000 images; those that can not be read are listed as failures.',
    input,
    output: TransformationOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    task: { queue: 'images', timeoutMs: 3_600_000, attempts: 3 },
    run: ({ paths, to, quality, folder = 'converted' }, ctx) =>
      transformImages({
        host,
        ctx,
        encoders,
        paths,
        folder,
        transformation: { format: to, quality, target: () => null },
      }),
  });
}
