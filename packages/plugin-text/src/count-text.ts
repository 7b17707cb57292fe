import type { AllowedFile } from '@longshore/plugin/files';
import { readText } from './read-text.ts';
import { WordSplitter } from './word-tally.ts';

export interface TextCounts {
  /** Line breaks (`\n`), plus one when the text does not end with one. */
  readonly lines: number;
  readonly words: number;
  /** Unicode code points, without a byte order mark. */
  readonly characters: number;
  readonly bytes: number;
}

const PAIR = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;

export interface CountOptions {
  readonly signal: AbortSignal;
  /** Gets every word, in lower case. */
  readonly onWord: (word: string) => void;
  /** Gets the number of bytes read so far. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Counts one file, part by part.
 *
 * @throws as `readText`
 */
export async function countText(file: AllowedFile, options: CountOptions): Promise<TextCounts> {
  let breaks = 0;
  let words = 0;
  let characters = 0;
  // A file of nothing but a byte order mark has bytes, though no part of text comes.
  let bytes = file.sizeBytes;
  let last = '\n';
  const splitter = new WordSplitter((word) => {
    words += 1;
    options.onWord(word);
  });
  for await (const part of readText(file, options.signal)) {
    for (let at = part.text.indexOf('\n'); at !== -1; at = part.text.indexOf('\n', at + 1)) {
      breaks += 1;
    }
    characters += part.text.length - (part.text.match(PAIR)?.length ?? 0);
    last = part.text.slice(-1);
    bytes = part.bytesRead;
    splitter.push(part.text);
    options.onBytes(bytes);
  }
  splitter.end();
  return { lines: last === '\n' ? breaks : breaks + 1, words, characters, bytes };
}
