import { ToolError } from '@longshore/plugin';

export const FAILURE_CODES = [
  'NOT_AN_IMAGE',
  'FILE_TOO_LARGE',
  'TOO_MANY_PIXELS',
  'DAMAGED',
  'UNREADABLE',
  'TOO_SLOW',
  'OUT_OF_MEMORY',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** One file can not be worked on; the others can. */
export class ImageFailure extends Error {
  override readonly name = 'ImageFailure';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What is wrong with a file, of whatever its opening or sharp threw; null: not the file's fault. */
export function toImageFailure(error: unknown): ImageFailure | null {
  if (error instanceof ImageFailure) return error;
  if (error instanceof ToolError) return new ImageFailure('UNREADABLE', error.message);
  if (!(error instanceof Error) || 'code' in error) return null;
  const message = error.message.split('\n', 1)[0]?.slice(0, 300) ?? '';
  if (message.startsWith('timeout:')) return new ImageFailure('TOO_SLOW', 'takes over a minute');
  if (/exceeds pixel limit|too large/i.test(message)) {
    return new ImageFailure('TOO_MANY_PIXELS', message, { cause: error });
  }
  return new ImageFailure('DAMAGED', message, { cause: error });
}
