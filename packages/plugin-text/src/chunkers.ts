import { LineSplitter } from './line-splitter.ts';

/** A piece of a text. Without overlap, all pieces joined are the text. */
export interface Chunk {
  /** 0 for the first. */
  readonly index: number;
  /** First line of the piece, 1-based. */
  readonly start_line: number;
  /** Where it starts in the file, in characters (code points). */
  readonly start: number;
  /** Where it ends, exclusive. */
  readonly end: number;
  readonly text: string;
}

/** Takes text in parts and gives chunks as soon as they are complete. */
export interface Chunker {
  push(part: string): Chunk[];
  end(): Chunk[];
}

export interface ChunkSize {
  /** Characters or lines in a chunk. */
  readonly size: number;
  /** How many of them the next chunk repeats; at most half of `size`, so that chunks move on. */
  readonly overlap: number;
}

/** Chunks of `size` characters, or a little less so that no word is cut. */
export class CharacterChunker implements Chunker {
  readonly #size: number;
  readonly #overlap: number;
  readonly #keepWords: boolean;
  #points: string[] = [];
  /** Where the next chunk starts in `#points`. */
  #at = 0;
  #position = new Position();

  constructor({ size, overlap }: ChunkSize, keepWords: boolean) {
    this.#size = size;
    this.#overlap = overlap;
    this.#keepWords = keepWords;
  }

  push(part: string): Chunk[] {
    this.#points = [...this.#points.slice(this.#at), ...part];
    this.#at = 0;
    const chunks: Chunk[] = [];
    // A chunk is cut only when more text is known to follow: the last one takes all that is left.
    while (this.#points.length - this.#at > this.#size) {
      const cut = this.#cut(this.#at + this.#size);
      chunks.push(this.#position.chunk(this.#points.slice(this.#at, cut)));
      const next = this.#resume(cut);
      this.#position.advance(this.#points.slice(this.#at, next));
      this.#at = next;
    }
    return chunks;
  }

  end(): Chunk[] {
    const rest = this.#points.slice(this.#at);
    return rest.length === 0 ? [] : [this.#position.chunk(rest)];
  }

  /** The end of a chunk that may reach to `limit`: behind a space in its second half, if there is one. */
  #cut(limit: number): number {
    if (!this.#keepWords || isSpace(this.#points[limit])) return limit;
    for (let cut = limit; cut > limit - this.#size / 2; cut -= 1) {
      if (isSpace(this.#points[cut - 1])) return cut;
    }
    return limit;
  }

  /** Where the chunk after `cut` starts: `overlap` characters before, at the start of a word. */
  #resume(cut: number): number {
    const start = cut - this.#overlap;
    if (!this.#keepWords || this.#overlap === 0 || isSpace(this.#points[start - 1])) return start;
    for (let at = start; at < cut; at += 1) if (isSpace(this.#points[at])) return at + 1;
    return start;
  }
}

/** Chunks of `size` whole lines. */
export class LineChunker implements Chunker {
  readonly #size: number;
  readonly #overlap: number;
  readonly #splitter: LineSplitter;
  #lines: string[] = [];
  #position = new Position();

  constructor({ size, overlap }: ChunkSize, fileName: string) {
    this.#size = size;
    this.#overlap = overlap;
    this.#splitter = new LineSplitter(fileName);
  }

  push(part: string): Chunk[] {
    return this.#take(this.#splitter.push(part));
  }

  end(): Chunk[] {
    const chunks = this.#take(this.#splitter.end());
    return this.#lines.length === 0
      ? chunks
      : [...chunks, this.#position.chunk([...this.#lines.join('')])];
  }

  #take(lines: readonly string[]): Chunk[] {
    this.#lines.push(...lines);
    const chunks: Chunk[] = [];
    let at = 0;
    while (this.#lines.length - at > this.#size) {
      const taken = this.#lines.slice(at, at + this.#size);
      chunks.push(this.#position.chunk([...taken.join('')]));
      const next = at + this.#size - this.#overlap;
      this.#position.advance([...this.#lines.slice(at, next).join('')]);
      at = next;
    }
    this.#lines = this.#lines.slice(at);
    return chunks;
  }
}

/** Where in the file the next chunk starts. */
class Position {
  #index = 0;
  #start = 0;
  #line = 1;

  chunk(points: readonly string[]): Chunk {
    const chunk = {
      index: this.#index,
      start_line: this.#line,
      start: this.#start,
      end: this.#start + points.length,
      text: points.join(''),
    };
    this.#index += 1;
    return chunk;
  }

  advance(points: readonly string[]): void {
    this.#start += points.length;
    for (const point of points) if (point === '\n') this.#line += 1;
  }
}

function isSpace(point: string | undefined): boolean {
  return point !== undefined && /\s/.test(point);
}
