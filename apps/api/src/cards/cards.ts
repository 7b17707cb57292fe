import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type AnnouncedTool,
  CARD_TOOL_NAMES,
  type CardStore,
  isPluginCardUri,
  JOB_CARD_URI,
  JOB_CARD_VERSION,
  type JsonObject,
  UI_MIME_TYPE,
} from '@longshore/core';
import type { ToolUi } from '@longshore/protocol';
import type { JobToolsSetting } from '../job-tools/job-tools.ts';

const FOR_PAGES: ReadonlySet<string> = new Set(CARD_TOOL_NAMES);

/** Where the page of the job card has its version. */
const VERSION = '__CARD_VERSION__';

/** Those of the server's own tools that answer with a job. */
const NAMES_JOB: ReadonlySet<string> = new Set([
  'job_result',
  'job_retry',
  'job_status',
  'job_wait',
]);

const JOB_CARD: JsonObject = {
  uri: JOB_CARD_URI,
  name: 'job_card',
  title: 'Job card',
  description: 'Shows a background job while it runs and when it has ended.',
  mimeType: UI_MIME_TYPE,
};

/** Everything inside, nothing from outside. Without a `domain`: each host has its own form of it. */
const UI_META: JsonObject = { ui: { csp: {}, prefersBorder: true } };

/**
 * The pages that hosts show beside what tools answer (MCP Apps): all that is said of `ui://` is said here.
 *
 * They are the same for everybody, and not for those hosts only that declare that they show them: some do not.
 */
export class Cards {
  readonly #file: string;
  readonly #isServed: boolean;
  readonly #ofPlugins: Pick<CardStore, 'find'>;
  #html: string | null = null;

  /** @param dashboard directory of the built dashboard, which has the job card too */
  constructor(dashboard: string, jobTools: JobToolsSetting, ofPlugins: Pick<CardStore, 'find'>) {
    this.#file = path.join(dashboard, 'card.html');
    this.#isServed = jobTools !== 'never';
    this.#ofPlugins = ofPlugins;
  }

  /** What is said of a tool; null: nothing shows what it answers. */
  of({ name, taskSupport, card }: AnnouncedTool): ToolUi | null {
    if (card !== null) return { resourceUri: card };
    if (FOR_PAGES.has(name)) return { visibility: ['app'] };
    const namesJob = taskSupport !== 'forbidden' || NAMES_JOB.has(name);
    return this.#isServed && namesJob ? { resourceUri: JOB_CARD_URI } : null;
  }

  /** As resources/list has them: those of plugins are found on their tools only. */
  list(): readonly JsonObject[] {
    return this.#isServed ? [{ ...JOB_CARD, _meta: UI_META }] : [];
  }

  /**
   * A page as resources/read has it; null: the URI is of none. No worker is asked for those of plugins.
   * @throws {LongshoreError} DATABASE_UNAVAILABLE
   */
  async read(uri: string): Promise<JsonObject | null> {
    if (isPluginCardUri(uri)) {
      const card = await this.#ofPlugins.find(uri);
      return card === null ? null : pageOf(uri, card.html, { ui: { csp: card.csp } });
    }
    if (!this.#isServed || uri !== JOB_CARD_URI) return null;
    this.#html ??= readFileSync(this.#file, 'utf8').replace(VERSION, String(JOB_CARD_VERSION));
    return pageOf(uri, this.#html, UI_META);
  }
}

const pageOf = (uri: string, text: string, _meta: JsonObject): JsonObject => ({
  contents: [{ uri, mimeType: UI_MIME_TYPE, text, _meta }],
});
