/** A fenced block ```` ```console ```` of a document: a command after `$ ` and what it prints. */
export interface ConsoleBlock {
  readonly kind: 'console';
  /** Word after `console`: a terminal whose command goes on while others run. Null: it ends, with 0. */
  readonly terminal: string | null;
  /** Null: more output of the command that runs in the terminal. */
  readonly command: string | null;
  /** Lines that come in this order, maybe with others between them; one that ends with `…` begins so. */
  readonly output: readonly string[];
  /** The last line is `^C`: what runs in the terminal is ended. */
  readonly isEnd: boolean;
}

/** A fenced block such as ```` ```ts ~/a/b.ts ````: a file that the reader saves. */
export interface FileBlock {
  readonly kind: 'file';
  /** Below the home directory. */
  readonly path: string;
  readonly text: string;
}

/** @throws {Error} when a block has several commands: each has a block of its own */
export function pageBlocks(markdown: string): (ConsoleBlock | FileBlock)[] {
  const fences = markdown.matchAll(/^```(?:console(?: (\w+))?|\w+ ~\/(\S+))\n([\s\S]*?)^```$/gm);
  return [...fences].map(([, terminal = null, file, text = '']) =>
    file === undefined ? consoleBlock(terminal, text) : { kind: 'file', path: file, text },
  );
}

function consoleBlock(terminal: string | null, text: string): ConsoleBlock {
  const lines = text.trimEnd().split('\n');
  const [first = ''] = lines;
  const isCommand = first.startsWith('$ ');
  const output = isCommand ? lines.slice(1) : lines;
  if (output.some((line) => line.startsWith('$ '))) throw new Error(`two commands: ${first}`);
  return {
    kind: 'console',
    terminal,
    command: isCommand ? first.slice(2) : null,
    output: output.filter((line) => !['', '…', '^C'].includes(line.trim())),
    isEnd: output.at(-1) === '^C',
  };
}

/** What a terminal does with what stands in the line so far: it writes over it (npm's spinner, a bar). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal is told with
const WRITTEN_OVER = /^.*\u001B\[(?:1G|2K)/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: likewise
const COLOURS = /\u001B\[[0-9;?]*[A-Za-z]/g;

/** Ids of tasks, and the address of the server. */
const NAMES = /[0-9a-f]{8}-[0-9a-f-]{27}|http:\/\/127\.0\.0\.1:\d+/g;

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

/** What a page shows, found in what a terminal shows. */
export interface Found {
  /** The first of the expected lines that is not there after the one before it; null: all are. */
  readonly missing: string | null;
  /** What stands in the terminal where the page has an id or an address of its own. */
  readonly names: ReadonlyMap<string, string>;
}

export function findLines(expected: readonly string[], lines: readonly string[]): Found {
  const shapes = lines.map(shapeOf);
  const names = new Map<string, string>();
  let from = 0;
  for (const line of expected) {
    const wanted = shapeOf(line);
    const found = shapes.findIndex(
      (shape, index) => index >= from && (shape === wanted || isBeginning(wanted, shape)),
    );
    if (found === -1) return { missing: line, names };
    const shown = (lines[found] ?? '').match(NAMES) ?? [];
    for (const [index, name] of (line.match(NAMES) ?? []).entries()) {
      names.set(name, shown[index] ?? name);
    }
    from = found + 1;
  }
  return { missing: null, names };
}

/** A line that a page shows the beginning of: it ends with `…`. */
const isBeginning = (wanted: string, shape: string): boolean =>
  wanted.endsWith('…') && shape.startsWith(wanted.slice(0, -1));
