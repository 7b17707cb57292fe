import { defineTool, type PluginHost, type Tool, z } from '@longshore/plugin';
import { AllowedDirectories } from '@longshore/plugin/files';
import { FAILURE_CODES, toImageFailure } from './image-failure.ts';
import { READABLE_FORMATS } from './image-format.ts';
import { findImages, PathsInput } from './image-paths.ts';
import { readImage, readMetadata } from './read-image.ts';

const MAX_INFO = 1_000;

const input = z.strictObject({ paths: PathsInput });

const ImageInfo = z.object({
  path: z.string(),
  format: z.enum(READABLE_FORMATS),
  width: z.int().describe('As it is seen, turned upright.'),
  height: z.int(),
  frames: z.int().describe('More than 1 for animations and documents of several pages.'),
  bytes: z.int(),
  has_alpha: z.boolean(),
  colour_space: z.string(),
  has_metadata: z.boolean().describe('EXIF, XMP or IPTC, which may tell place, camera and author.'),
});

const output = z.object({
  images: z.int(),
  failed: z.int(),
  total_bytes: z.int(),
  formats: z.record(z.string(), z.int()).describe('How many images of each format.'),
  files: z.array(ImageInfo).describe(`The first ${MAX_INFO}.`),
  failures: z
    .array(z.object({ path: z.string(), code: z.enum(FAILURE_CODES), message: z.string() }))
    .describe(`The first ${MAX_INFO}.`),
});

type ImageInfo = z.output<typeof ImageInfo>;

export function imagesInfo(host: PluginHost): Tool {
  return defineTool({
    name: 'images_info',
    title: 'Describe images',
    description:
      'Tells format, size in pixels and bytes, frames, colours and whether there is metadata of images (JPEG, PNG, WebP, GIF, AVIF, TIFF): files, folders or patterns, up to 10,000. Use it before resizing or converting.',
    input,
    output,
    annotations: { readOnlyHint: true, openWorldHint: false },
    task: { queue: 'images', timeoutMs: 3_600_000, attempts: 2 },
    async run({ paths }, ctx) {
      const directories = AllowedDirectories.of(host, ctx);
      const images = await findImages(directories, paths, ctx);
      const files: ImageInfo[] = [];
      const failures: z.output<typeof output>['failures'] = [];
      const formats: Record<string, number> = {};
      let totalBytes = 0;
      for (const [index, { name }] of images.entries()) {
        ctx.signal.throwIfAborted();
        try {
          const info = await describe(directories, name);
          files.push(info);
          totalBytes += info.bytes;
          formats[info.format] = (formats[info.format] ?? 0) + 1;
        } catch (error) {
          const failure = toImageFailure(error);
          if (failure === null) throw error;
          failures.push({ path: name, code: failure.code, message: failure.message });
        }
        ctx.progress(index + 1, images.length, name);
      }
      return {
        images: files.length,
        failed: failures.length,
        total_bytes: totalBytes,
        formats,
        files: files.slice(0, MAX_INFO),
        failures: failures.slice(0, MAX_INFO),
      };
    },
  });
}

async function describe(directories: AllowedDirectories, name: string): Promise<ImageInfo> {
  const read = await readImage(directories, name);
  const metadata = await readMetadata(read, false);
  return {
    path: name,
    format: read.format,
    width: metadata.autoOrient.width,
    height: metadata.autoOrient.height,
    frames: metadata.pages ?? 1,
    bytes: read.bytes.length,
    has_alpha: metadata.hasAlpha,
    colour_space: metadata.space,
    has_metadata: [metadata.exif, metadata.xmp, metadata.iptc].some((part) => part !== undefined),
  };
}
