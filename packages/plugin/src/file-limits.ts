import { ToolError } from './tool-error.ts';

/** How much tools may write into `dataDir`. */
export interface FileLimits {
  /** Of one file. */
  readonly fileBytes: number;
  /** Of all files of one principal, on this machine. */
  readonly principalBytes: number;
}

/**
 * Why a file may not be so large.
 *
 * @param bytes of the file, and of all files of its principal with it
 * @returns what its tool is told; null: it may
 */
export function fileExcess(name: string, bytes: FileLimits, limits: FileLimits): ToolError | null {
  if (bytes.fileBytes > limits.fileBytes) {
    return new ToolError(`${name} is over the limit of ${limits.fileBytes} bytes for a file`);
  }
  if (bytes.principalBytes <= limits.principalBytes) return null;
  return new ToolError(
    `${name} has no room: all files of yours may take ${limits.principalBytes} bytes, and go when their tasks expire`,
  );
}
