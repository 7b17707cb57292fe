import { fileUri } from './file-link.ts';
import { type FileSink, ToolFile } from './tool-file.ts';

export interface FileOptions {
  /** `application/octet-stream` unless said otherwise. */
  readonly mimeType?: string;
}

/** What a host of plugins provides, for `createFiles` to build on. */
export interface FileHost {
  readonly taskId: string;
  /** Rejects when the attempt is over, or has too many files. */
  open(file: { readonly name: string; readonly mimeType: string }): Promise<FileSink>;
}

export interface TaskFiles {
  /**
   * Makes a file for whoever owns the task: for output that is too large for a result, or no text. It is
   * kept as long as the task. Another file of the same name, also of an earlier attempt, is replaced.
   *
   * @param name 1 to 200 bytes, without slashes
   * @throws {TypeError} the name or the media type can not be one
   */
  file(name: string, options?: FileOptions): ToolFile;
}

/** The files of a context, over what its host takes. */
export function createFiles(host: FileHost): TaskFiles {
  return {
    file: (name, options = {}) => {
      const facts = {
        name: checkFileName(name),
        mimeType: checkMimeType(options.mimeType ?? 'application/octet-stream'),
      };
      const uri = fileUri(host.taskId, facts.name);
      return new ToolFile({ type: 'resource_link', uri, ...facts }, () => host.open(facts));
    },
  };
}

const NAME_BYTES = 200;
/** Control and format characters, which make a name look like another one, and halves of characters. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u;
/** RFC 6838, 4.2, with a charset at most. */
const MIME_TYPE =
  /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}(; ?charset=[A-Za-z0-9_-]{1,40})?$/;

/**
 * A name of a file that is one on every system and in every address.
 * @throws {TypeError} saying what is wrong with it
 */
function checkFileName(name: unknown): string {
  if (typeof name !== 'string') throw new TypeError('the name of a file is a text');
  const problem = problemOf(name);
  if (problem !== null)
    throw new TypeError(`${JSON.stringify(name)} is no name of a file: ${problem}`);
  return name;
}

/** @throws {TypeError} */
function checkMimeType(mimeType: unknown): string {
  if (typeof mimeType === 'string' && MIME_TYPE.test(mimeType)) return mimeType;
  throw new TypeError(`${JSON.stringify(mimeType)} is no media type, such as text/csv`);
}

function problemOf(name: string): string | null {
  const bytes = new TextEncoder().encode(name).length;
  if (bytes === 0 || bytes > NAME_BYTES) return `it has ${bytes} bytes, not 1 to ${NAME_BYTES}`;
  if (/[/\\]/.test(name)) return 'it has a slash';
  if (HIDDEN.test(name)) return 'it has characters that are not seen';
  if (/^[. ]|[. ]$/.test(name)) return 'it begins or ends with a dot or a space';
  return null;
}
