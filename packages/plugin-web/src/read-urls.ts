import { type PluginHost, type ToolContext, ToolError } from '@longshore/plugin';
import { AllowedDirectories } from '@longshore/plugin/files';

/** Pages of one call. */
export const MAX_URLS = 10_000;

/** 32 MiB. */
const MAX_FILE_BYTES = 33_554_432;

/** Longer ones are cut: they are no URLs anyway, and say so as failures. */
const MAX_KEPT = 4_096;

/**
 * The URLs a call asks for, each once. What is none is left for the fetching to say.
 *
 * @throws {ToolError} none, too many, or a file that can not be read
 */
export async function readUrls(
  host: PluginHost,
  ctx: ToolContext,
  {
    urls,
    urls_file: path,
  }: { readonly urls: readonly string[]; readonly urls_file?: string | undefined },
): Promise<readonly string[]> {
  const given = path === undefined ? urls : [...urls, ...(await readFile(host, ctx, path))];
  const wanted = new Set(given.map((url) => url.trim().slice(0, MAX_KEPT)));
  wanted.delete('');
  if (wanted.size === 0) throw new ToolError('there is no URL to fetch: give urls or urls_file');
  if (wanted.size > MAX_URLS) {
    throw new ToolError(
      `${wanted.size} URLs are more than ${MAX_URLS}; fetch them in several calls`,
    );
  }
  return [...wanted];
}

async function readFile(host: PluginHost, ctx: ToolContext, path: string): Promise<string[]> {
  const file = await AllowedDirectories.of(host, ctx).open(path);
  try {
    if (file.sizeBytes > MAX_FILE_BYTES) {
      throw new ToolError(`${file.name} is larger than ${MAX_FILE_BYTES} bytes`);
    }
    const text = await file.handle.readFile('utf8');
    return text.split('\n').map((line) => (line.trimStart().startsWith('{') ? urlOf(line) : line));
  } finally {
    await file.close();
  }
}

/** @returns the line itself when it has no URL */
function urlOf(line: string): string {
  try {
    const { url } = JSON.parse(line) as { url?: unknown };
    return typeof url === 'string' ? url : line;
  } catch {
    return line;
  }
}
