import { checkFileName, checkMimeType } from './check-file.ts';
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
