import type { AnnouncedTool, CatalogueStore } from '@longshore/core';
import { within } from '../run/store-call.ts';

/** As long as the API shows them: a rolling restart hides nothing. */
const GRACE_MS = 60_000;

const FRESH_MS = 5_000;
const TIMEOUT_MS = 10_000;

/** The tools of all live workers, for those who start one by its name. */
export class ToolLookup {
  readonly #catalogue: Pick<CatalogueStore, 'load'>;
  #tools: ReadonlyMap<string, AnnouncedTool> = new Map();
  #loadedAt = Number.NEGATIVE_INFINITY;

  constructor(catalogue: Pick<CatalogueStore, 'load'>) {
    this.#catalogue = catalogue;
  }

  /** @returns null when no live worker has it. @throws {LongshoreError} DATABASE_UNAVAILABLE */
  async find(name: string): Promise<AnnouncedTool | null> {
    const isFresh = performance.now() - this.#loadedAt < FRESH_MS;
    if (!isFresh || !this.#tools.has(name)) {
      const { tools } = await within(TIMEOUT_MS, this.#catalogue.load(GRACE_MS), 'the catalogue');
      this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
      this.#loadedAt = performance.now();
    }
    return this.#tools.get(name) ?? null;
  }
}
