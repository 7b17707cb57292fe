const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** Of a longer value nothing is known. */
const MAX_BYTES = 65_536;

/**
 * Finds members of a JSON object, as they stand there, while the object's bytes pass by: for messages that are
 * too long to keep, and for numbers that JSON.parse would round. Of several of a name the last counts, as for
 * JSON.parse. Of what is no JSON it finds anything or nothing.
 */
export class MemberTexts {
  readonly #found = new Map<string, string>();
  readonly #piece: number[] = [];
  #isWhole = true;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #key: string | null = null;

  /** JSON text of a member's value; null: there was none so far. */
  get(name: string): string | null {
    return this.#found.get(name) ?? null;
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) this.#take(byte);
  }

  #take(byte: number): void {
    if (this.#isInString) {
      this.#keep(byte);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInString = false;
      return;
    }
    if (isClosing(byte)) this.#depth -= 1;
    const isOfObject = this.#depth === 0 || (this.#depth === 1 && byte === COMMA);
    if (isOfObject) this.#endMember();
    else if (this.#depth === 1 && byte === COLON) this.#key = this.#endPiece();
    else this.#keep(byte);
    if (isOpening(byte)) this.#depth += 1;
    else if (byte === QUOTE) this.#isInString = true;
  }

  #keep(byte: number): void {
    if (this.#piece.length < MAX_BYTES) this.#piece.push(byte);
    else this.#isWhole = false;
  }

  #endMember(): void {
    const key = this.#key;
    this.#key = null;
    const value = this.#endPiece();
    const name = key === null ? undefined : parsed(key);
    if (typeof name !== 'string') return;
    if (value === null) this.#found.delete(name);
    else this.#found.set(name, value);
  }

  /** @returns what was kept since the last one; null when that is not all */
  #endPiece(): string | null {
    const text = this.#isWhole ? Buffer.from(this.#piece).toString('utf8').trim() : null;
    this.#piece.length = 0;
    this.#isWhole = true;
    return text;
  }
}

function isOpening(byte: number): boolean {
  return byte === 0x7b || byte === 0x5b;
}

function isClosing(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
