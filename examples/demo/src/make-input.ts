import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { LetterFacts, writeLetters } from './make-letters.ts';
import { SeededRandom } from './random.ts';
import { WORDS } from './words.ts';
import { writeLines } from './write-lines.ts';

const ORDERS = 250_000;
const EVENTS = 40_000;
const TEXTS = 60;
const PARAGRAPHS = 220;
const SEED = 20_261_121;
/** What one of the texts' lines says now and then, to be searched for. */
export const NEEDLE = 'the harbour master signed the manifest';

const COUNTRIES = [
  'Germany',
  'Norway',
  'Côte d’Ivoire',
  'Japan',
  'Brazil',
  'Kenya',
  'New Zealand',
] as const;
const PRODUCTS = [
  'rope, 10 mm',
  'anchor "Bruce"',
  'winch',
  'chart table',
  'lamp',
  'fender',
  'oilskin',
  'flare',
] as const;
const STATUSES = ['delivered', 'shipped', 'open', 'cancelled'] as const;
/** What is true of the input, worked out while it was written, so that the tools' answers can be checked. */
const Facts = z.object({
  orders: z.int(),
  /** Of orders that were not cancelled, in cents. */
  revenueCents: z.record(z.string(), z.int()),
  events: z.int(),
  texts: z.int(),
  words: z.int(),
  lines: z.int(),
  needles: z.int(),
  letters: LetterFacts,
});
export type Facts = z.infer<typeof Facts>;

/**
 * Makes the input of the demo: `orders.csv` (250,000 rows), `events.jsonl`, a folder of texts, about 25 MB,
 * and 5,000 letters, the same in every run. What is there from an earlier run is kept; an interrupted run leaves nothing that
 * a later one would take for whole.
 */
export async function makeInput(directory: string): Promise<Facts> {
  const factsFile = path.join(directory, 'facts.json');
  const known = existsSync(factsFile)
    ? Facts.safeParse(JSON.parse(readFileSync(factsFile, 'utf8')))
    : null;
  // That of an earlier version of the demo is made anew.
  if (known?.success === true) return known.data;
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(path.join(unfinished, 'texts'), { recursive: true });
  const random = new SeededRandom(SEED);
  const facts: Facts = {
    ...(await writeOrders(path.join(unfinished, 'orders.csv'), random)),
    ...(await writeEvents(path.join(unfinished, 'events.jsonl'), random)),
    ...writeTexts(path.join(unfinished, 'texts'), random),
    letters: await writeLetters(unfinished, random),
  };
  writeFileSync(path.join(unfinished, 'facts.json'), JSON.stringify(facts, null, 2));
  renameSync(unfinished, directory);
  return facts;
}

async function writeOrders(
  file: string,
  random: SeededRandom,
): Promise<Pick<Facts, 'orders' | 'revenueCents'>> {
  const revenueCents: Record<string, number> = {};
  await writeLines(file, function* () {
    yield 'order_id,ordered_on,customer,country,product,quantity,unit_price,status,note';
    for (let id = 1; id <= ORDERS; id += 1) {
      const country = random.skewed(COUNTRIES);
      const status = random.skewed(STATUSES);
      const quantity = random.int(1, 40);
      const priceCents = random.int(150, 99_999);
      if (status !== 'cancelled') {
        revenueCents[country] = (revenueCents[country] ?? 0) + quantity * priceCents;
      }
      const day = new Date(Date.UTC(2025, 0, 1) + random.int(0, 700) * 86_400_000)
        .toISOString()
        .slice(0, 10);
      const note =
        random.next() < 0.9 ? '' : quoted(`“urgent”, call ${random.int(100, 999)} first`);
      yield [
        id,
        day,
        `customer-${random.int(1, 20_000)}`,
        country,
        quoted(random.skewed(PRODUCTS)),
        quantity,
        (priceCents / 100).toFixed(2),
        status,
        note,
      ].join(',');
    }
  });
  return { orders: ORDERS, revenueCents };
}

async function writeEvents(file: string, random: SeededRandom): Promise<Pick<Facts, 'events'>> {
  await writeLines(file, function* () {
    for (let n = 0; n < EVENTS; n += 1) {
      const kind = random.skewed(['view', 'search', 'basket', 'order'] as const);
      yield JSON.stringify({
        at: 1_767_225_600 + n * 7,
        kind,
        user: { id: random.int(1, 5_000) },
        ms: random.int(1, 900),
      });
    }
  });
  return { events: EVENTS };
}

function writeTexts(
  directory: string,
  random: SeededRandom,
): Pick<Facts, 'texts' | 'words' | 'lines' | 'needles'> {
  let words = 0;
  let lines = 0;
  let needles = 0;
  for (let text = 0; text < TEXTS; text += 1) {
    const paragraphs = Array.from({ length: PARAGRAPHS }, () => {
      const sentence = Array.from({ length: random.int(20, 90) }, () => random.skewed(WORDS));
      if (random.next() < 0.01) {
        needles += 1;
        sentence.push(NEEDLE);
        words += NEEDLE.split(' ').length - 1;
      }
      words += sentence.length;
      return `${sentence.join(' ')}.`;
    });
    lines += paragraphs.length;
    writeFileSync(
      path.join(directory, `log-${String(text).padStart(2, '0')}.txt`),
      `${paragraphs.join('\n')}\n`,
    );
  }
  return { texts: TEXTS, words, lines, needles };
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
