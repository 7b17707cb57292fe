import { type ToolContext, ToolError, z } from '@longshore/plugin';
import type { AllowedDirectories } from '@longshore/plugin/files';
import { hasImageName } from './image-format.ts';
import { MAX_FILES } from './limits.ts';

export const PathsInput = z
  .array(z.string().min(1).max(4_096))
  .min(1)
  .max(MAX_FILES)
  .describe(
    'Files, folders (all images below them) or patterns such as "photos/**/*.jpg", relative to the allowed directories.',
  );

/** An image to work on. */
export interface ImagePath {
  /** Hand it to `AllowedDirectories.open`. */
  readonly name: string;
  /** Below the folder or pattern it was found by, for naming what is made of it. */
  readonly shortName: string;
}

/**
 * The files that paths mean, each once. In folders and patterns those without the name of an image are
 * passed over; a file that is named itself is taken whatever it is called.
 *
 * @throws {ToolError} a path that is not allowed or means no file, no image at all, or too many
 */
export async function findImages(
  directories: AllowedDirectories,
  paths: readonly string[],
  { signal }: Pick<ToolContext, 'signal'>,
): Promise<readonly ImagePath[]> {
  const found = new Map<string, ImagePath>();
  for (const path of paths) {
    const files = await directories.list(path, { maxFiles: MAX_FILES, signal });
    const given = path.split('/').filter((segment) => segment !== '');
    for (const { name } of files) {
      const segments = name.split('/').filter((segment) => segment !== '');
      const isNamed = files.length === 1 && name === path;
      if (!isNamed && !hasImageName(name)) continue;
      found.set(name, { name, shortName: shortName(segments, given, isNamed) });
    }
    if (found.size > MAX_FILES) {
      throw new ToolError(`${found.size} images are more than ${MAX_FILES}; name fewer`);
    }
  }
  if (found.size === 0) throw new ToolError(`no image in ${paths.slice(0, 5).join(', ')}`);
  return [...found.values()];
}

function shortName(segments: readonly string[], given: readonly string[], isNamed: boolean) {
  if (isNamed) return segments.at(-1) ?? '';
  const shared = segments.findIndex((segment, index) => segment !== given[index]);
  return segments.slice(Math.min(Math.max(shared, 0), segments.length - 1)).join('/');
}
