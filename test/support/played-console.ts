/** A fenced block ```` ```console ```` of a document: a command after `$ ` and what it prints. */
export interface ConsoleBlock {
  /** Word after `console`: a terminal whose command goes on while others run. Null: it ends, with 0. */
  readonly terminal: string | null;
  /** Null: more output of the command that runs in the terminal. */
  readonly command: string | null;
  /** Lines that come in this order, maybe with others between them. */
  readonly output: readonly string[];
}

/** @throws {Error} when a block has several commands: each has a block of its own */
export function consoleBlocks(markdown: string): ConsoleBlock[] {
  return [...markdown.matchAll(/^```console(?: (\w+))?\n([\s\S]*?)^```$/gm)].map((found) => {
    const lines = (found[2] ?? '').trimEnd().split('\n');
    const [first = ''] = lines;
    const isCommand = first.startsWith('$ ');
    const output = isCommand ? lines.slice(1) : lines;
    if (output.some((line) => line.startsWith('$ '))) throw new Error(`two commands: ${first}`);
    return {
      terminal: found[1] ?? null,
      command: isCommand ? first.slice(2) : null,
      output: output.filter((line) => line.trim() !== '' && line.trim() !== '…'),
    };
  });
}

/** What a terminal does with what stands in the line so far: it writes over it (npm's spinner, a bar). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal is told with
const WRITTEN_OVER = /^.*\u001B\[(?:1G|2K)/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: likewise
const COLOURS = /\u001B\[[0-9;?]*[A-Za-z]/g;

/** A line without what differs from run to run: ids, numbers, and how far a bar is. */
export const shapeOf = (line: string): string =>
  line
    .replace(WRITTEN_OVER, '')
    .replaceAll(COLOURS, '')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replaceAll(/\d+(?:[.,]\d+)*/g, '#')
    .replaceAll(/\[#*-*\]/g, '[bar]')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** @returns the first of the expected lines that is not there after the one before it; null: all are */
export function firstMissing(expected: readonly string[], lines: readonly string[]): string | null {
  const shapes = lines.map(shapeOf);
  let from = 0;
  for (const line of expected) {
    const found = shapes.indexOf(shapeOf(line), from);
    if (found === -1) return line;
    from = found + 1;
  }
  return null;
}
