import { ToolError } from '@longshore/plugin';

/** A longer line is hardly text, and holding it would take memory without bound. */
export const LONGEST_LINE = 1_000_000;

/** Cuts text that comes in parts into lines. Each keeps its line break; joined they are the text. */
export class LineSplitter {
  readonly #fileName: string;
  #rest = '';
  #lines = 0;

  constructor(fileName: string) {
    this.#fileName = fileName;
  }

  /** @throws {ToolError} a line of more than a million characters */
  push(part: string): string[] {
    const pieces = part.split(/(?<=\n)/);
    const last = pieces.pop() ?? '';
    const lines = pieces.map((piece, index) => (index === 0 ? this.#rest + piece : piece));
    this.#rest = pieces.length === 0 ? this.#rest + last : last;
    if (this.#rest.endsWith('\n')) {
      lines.push(this.#rest);
      this.#rest = '';
    }
    this.#lines += lines.length;
    if (this.#rest.length > LONGEST_LINE) {
      throw new ToolError(
        `line ${this.#lines + 1} of ${this.#fileName} has more than ${LONGEST_LINE} characters`,
      );
    }
    return lines;
  }

  /** The last line, when it has no line break. */
  end(): string[] {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }
}
