/** What tools are called that nobody is known to offer, and all beyond the first 500. */
export const OTHER_TOOL = 'other';

const MOST_NAMES = 500;

/**
 * The values of the label `tool`. A time series lives as long as its process, so there must not be one for each name that a
 * client makes up: a name counts once somebody offers a tool of it, and from then on, for its tasks may outlive that.
 */
export class ToolNames {
  readonly #isOffered: (name: string) => boolean;
  readonly #known = new Set<string>();

  constructor(isOffered: (name: string) => boolean) {
    this.#isOffered = isOffered;
  }

  label(name: string): string {
    if (this.#known.has(name)) return name;
    if (this.#known.size >= MOST_NAMES || !this.#isOffered(name)) return OTHER_TOOL;
    this.#known.add(name);
    return name;
  }
}
