import {
  type AnnouncedPrompt,
  type AnnouncedResource,
  type AnnouncedTool,
  CATALOGUE_TOPIC,
  type CatalogueSnapshot,
  type CatalogueStore,
  type EventBus,
  type Logger,
  LongshoreError,
  type Service,
  type Subscription,
} from '@longshore/core';
import { type ChangedList, legacyTool, wirePrompt, wireResource } from '@longshore/protocol';
import { CatalogueSection } from './catalogue-section.ts';
import { ChangeBursts } from './change-bursts.ts';

/** Entries stay listed for this long after their last worker was seen: a rolling restart hides nothing. */
const GRACE_MS = 60_000;
const REFRESH_MS = 5_000;

/**
 * What live workers announce, held in memory. Refreshed when a worker says that it changed and on a timer;
 * while Postgres is away the last known catalogue stays.
 */
export class Catalogue implements Service {
  readonly tools = new CatalogueSection<AnnouncedTool>({
    key: (tool) => tool.name,
    wire: (tool) => legacyTool(tool, true, tool.card === null ? null : { resourceUri: tool.card }),
  });
  readonly prompts = new CatalogueSection<AnnouncedPrompt>({
    key: (prompt) => prompt.name,
    wire: wirePrompt,
  });
  /** Resources of one URI each. */
  readonly resources = new CatalogueSection<AnnouncedResource>({
    key: addressOf,
    wire: wireResource,
  });
  /** Resources whose address is a URI template. */
  readonly templates = new CatalogueSection<AnnouncedResource>({
    key: addressOf,
    wire: wireResource,
  });
  readonly #store: CatalogueStore;
  readonly #bus: EventBus;
  readonly #log: Logger;
  readonly #changes = new ChangeBursts<ChangedList>(() => ({
    tools: this.tools.visible,
    prompts: this.prompts.visible,
    resources: this.resources.visible + this.templates.visible,
  }));
  #loaded = false;
  #subscription: Subscription | null = null;
  #timer: NodeJS.Timeout | null = null;
  #refreshing: Promise<void> | null = null;
  #again = false;

  constructor(options: { store: CatalogueStore; bus: EventBus; log: Logger }) {
    this.#store = options.store;
    this.#bus = options.bus;
    this.#log = options.log;
  }

  /** Where nobody offers any tool the name is not what is wrong. */
  unknownTool(name: string): LongshoreError {
    const isEmpty = this.tools.all().next().done === true;
    return new LongshoreError(
      'UNKNOWN_TOOL',
      isEmpty ? `No worker is running: nobody can run the tool ${name}.` : `Unknown tool: ${name}`,
    );
  }

  async start(): Promise<void> {
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => void this.refresh(), REFRESH_MS).unref();
    this.#subscription = await this.#bus.subscribe(CATALOGUE_TOPIC, () => void this.refresh());
    await this.refresh();
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#subscription?.close();
    this.#subscription = null;
    await this.#refreshing;
    this.#changes.stop();
  }

  /**
   * Calls `listener` when a list that clients can see has changed, once for a burst of changes; never for
   * the first load.
   *
   * @returns how to take it back
   */
  onChange(listener: (list: ChangedList) => void): () => void {
    return this.#changes.listen(listener);
  }

  /** Reads the catalogue again; calls while one runs are served by one more run. Never rejects. */
  refresh(): Promise<void> {
    if (this.#refreshing !== null) {
      this.#again = true;
      return this.#refreshing;
    }
    this.#refreshing = this.#load().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #load(): Promise<void> {
    do {
      this.#again = false;
      try {
        this.#adopt(await this.#store.load(GRACE_MS));
      } catch (error) {
        this.#log.warn({ err: error }, 'catalogue could not be read');
      }
    } while (this.#again);
  }

  #adopt(loaded: CatalogueSnapshot): void {
    this.tools.adopt(loaded.tools);
    this.prompts.adopt(loaded.prompts);
    this.resources.adopt(loaded.resources.filter(({ address }) => address.kind === 'uri'));
    this.templates.adopt(loaded.resources.filter(({ address }) => address.kind === 'template'));
    if (this.#loaded) this.#changes.check();
    else this.#changes.reset();
    this.#loaded = true;
  }
}

/** What a resource is known by: its URI, or its template. */
export function addressOf({ address }: AnnouncedResource): string {
  return address.kind === 'uri' ? address.uri : address.template;
}
