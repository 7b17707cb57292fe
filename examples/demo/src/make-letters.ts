import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { SeededRandom } from './random.ts';
import { WORDS } from './words.ts';
import { writeLines } from './write-lines.ts';

const LETTERS = 5_000;
const FOLDER = 'letters';

/** An argument set of `text_count` for each letter, a line each. */
export const LETTERS_FILE = 'letters.jsonl';

/** What is true of the letters. */
export const LetterFacts = z.object({
  /** Of each letter, in their order. */
  words: z.array(z.int()),
});
export type LetterFacts = z.infer<typeof LetterFacts>;

/** Relative to the input's directory, as the tools are told it. */
export function letterPath(index: number): string {
  return `${FOLDER}/${String(index).padStart(4, '0')}.txt`;
}

/** Writes 5,000 letters of 40 to 400 words, and the list of them. */
export async function writeLetters(directory: string, random: SeededRandom): Promise<LetterFacts> {
  mkdirSync(path.join(directory, FOLDER));
  const words = Array.from({ length: LETTERS }, (_, index) => {
    const letter = Array.from({ length: random.int(40, 400) }, () => random.skewed(WORDS));
    writeFileSync(path.join(directory, letterPath(index)), `${letter.join(' ')}.\n`);
    return letter.length;
  });
  await writeLines(path.join(directory, LETTERS_FILE), function* () {
    for (const index of words.keys()) yield JSON.stringify({ path: letterPath(index), top: 3 });
  });
  return { words };
}
