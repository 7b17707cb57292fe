/** Longest part of a name, in UTF-16 units; any system takes that, also with a number and an ending. */
const LONGEST_PART = 60;

/**
 * Names for what is made of files: the old one with another ending, a number behind those that would be
 * the same (`a.jpg` and `a.png` become `a.webp` and `a-2.webp`). Case does not make a difference, because it
 * does not on every disk.
 */
export class OutputNames {
  readonly #taken = new Set<string>();

  /** A name that an earlier attempt gave. */
  take(name: string): void {
    this.#taken.add(name.toLowerCase());
  }

  /** @param shortName with `/` between folders */
  next(shortName: string, ending: string): string {
    const parts = shortName.split('/').map(plainPart);
    const stem = parts.join('/').replace(/(?<=[^/])\.[^./]*$/, '');
    for (let number = 1; ; number += 1) {
      const name = `${stem}${number === 1 ? '' : `-${number}`}.${ending}`;
      if (this.#taken.has(name.toLowerCase())) continue;
      this.take(name);
      return name;
    }
  }
}

/** Without what a file's name may not hold on some system. */
function plainPart(part: string): string {
  const ending = /\.[^.]{1,8}$/.exec(part)?.[0] ?? '';
  const stem = part.slice(0, part.length - ending.length).slice(0, LONGEST_PART);
  return `${stem}${ending}`
    .replaceAll(/[\p{Cc}\p{Cs}\\:*?"<>|]/gu, '_')
    .replace(/^\./, '_')
    .replace(/^$/, '_');
}
