import { isRecord, type Json, numberIn, recordIn, textIn } from '../state/json.ts';
import { countText } from '../state/time-text.ts';
import { button, cut, make } from './dom.ts';
import type { Job } from './job.ts';
import { type JobServer, textsOf } from './server.ts';

/** Shown before one asks for more. */
const FIRST = 5;
const MOST_UNITS = 400;

/** Items of a batch that have failed, each with its message. */
export class Failures {
  readonly #server: JobServer;
  readonly #place: HTMLElement;
  readonly #head = make('h2');
  readonly #list = make('ul', { tabindex: '0', 'aria-label': 'Failed items' });
  readonly #more = make('div', { class: 'tools' });
  #job: string | null = null;
  #failed = 0;
  /** Where the page begins that was read last, and how many rows stand before it. */
  #from: string | null = null;
  #before = 0;

  constructor(server: JobServer, place: HTMLElement) {
    this.#server = server;
    this.#place = place;
    place.append(this.#head, this.#list, this.#more);
    this.#more.append(button('Show more', () => this.#read(Number.POSITIVE_INFINITY)));
  }

  /** The first ones come by themselves, the rest when somebody wants them. */
  async show({ id, counts }: Job): Promise<void> {
    if (id !== this.#job) this.#begin(id);
    const failed = counts?.failed ?? 0;
    if (failed === this.#failed) return;
    this.#failed = failed;
    if (this.#shown < FIRST) await this.#read(FIRST);
    this.#head.textContent = `Failed items (${countText(failed)})`;
    this.#place.hidden = false;
    this.#offerMore();
  }

  #begin(id: string): void {
    this.#job = id;
    this.#failed = 0;
    this.#from = null;
    this.#before = 0;
    this.#place.hidden = true;
    this.#list.replaceChildren();
  }

  get #shown(): number {
    return this.#list.childElementCount;
  }

  #offerMore(): void {
    this.#more.hidden = this.#shown >= this.#failed;
  }

  /** Reads the last page again, which may have more on it by now. */
  async #read(most: number): Promise<void> {
    const result = await this.#server.ask('job_result', {
      task_id: this.#job,
      mode: 'failures_only',
      ...(this.#from === null ? {} : { cursor: this.#from }),
    });
    const items = (textsOf(result)[1] ?? '').split('\n').flatMap(parsed);
    const before = [...this.#list.children].slice(0, this.#before);
    this.#list.replaceChildren(...before, ...items.slice(0, most).map(rowOf));
    const next = textIn(recordIn(result, 'structuredContent'), 'next_cursor');
    if (next !== null && items.length <= most) {
      this.#from = next;
      this.#before = this.#shown;
    }
    this.#offerMore();
  }
}

function parsed(line: string): Json[] {
  try {
    const item: unknown = JSON.parse(line);
    return isRecord(item) ? [item] : [];
  } catch {
    return [];
  }
}

function rowOf(item: Json): HTMLElement {
  const error = recordIn(item, 'error');
  const batch = textIn(item, 'batch');
  const index = numberIn(item, 'index') ?? 0;
  const name = batch === null ? `#${index}` : `${batch} #${index}`;
  return make(
    'li',
    {},
    make('span', {}, name),
    make('span', {}, cut(textIn(error, 'message') ?? '', MOST_UNITS)),
  );
}
