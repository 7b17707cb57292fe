import { countText } from '../state/time-text.ts';
import { button, cut, make } from './dom.ts';
import type { Job } from './job.ts';
import { isRecord, type Json, numberIn, recordIn, textIn } from './json.ts';
import { type JobServer, textsOf } from './server.ts';

/** Shown before one asks for more. */
const FIRST = 20;
const MOST_UNITS = 400;

/** Items of a batch that have failed, each with its message. */
export class Failures {
  readonly #server: JobServer;
  readonly #place: HTMLElement;
  readonly #head = make('h2');
  readonly #list = make('ul', { tabindex: '0', 'aria-label': 'Failed items' });
  readonly #more = make('div', { class: 'tools' });
  #shown = 0;
  #known = -1;

  constructor(server: JobServer, place: HTMLElement) {
    this.#server = server;
    this.#place = place;
    place.append(this.#head, this.#list, this.#more);
  }

  forget(): void {
    this.#place.hidden = true;
    this.#list.replaceChildren();
    this.#shown = 0;
    this.#known = -1;
  }

  /** Reads the first of them, while they are few; the rest when somebody wants them. */
  async show({ id, counts }: Job): Promise<void> {
    const failed = counts?.failed ?? 0;
    if (failed === 0 || failed === this.#known) return;
    if (this.#shown < FIRST) await this.#read(id, null, FIRST);
    this.#known = failed;
    this.#head.textContent = `Failed items (${countText(failed)})`;
    this.#place.hidden = false;
  }

  async #read(id: string, cursor: string | null, most: number): Promise<void> {
    const result = await this.#server.ask('job_result', {
      task_id: id,
      mode: 'failures_only',
      ...(cursor === null ? {} : { cursor }),
    });
    const items = (textsOf(result)[1] ?? '').split('\n').flatMap(parsed);
    const rows = items.slice(0, most).map(rowOf);
    if (cursor === null) this.#list.replaceChildren(...rows);
    else this.#list.append(...rows);
    this.#shown = this.#list.childElementCount;
    const next = textIn(recordIn(result, 'structuredContent'), 'next_cursor');
    const isCut = items.length > most;
    // A page that is shown in part is read again, whole.
    const goOn = isCut
      ? () => this.#read(id, cursor, items.length)
      : () => this.#read(id, next, Number.POSITIVE_INFINITY);
    this.#more.replaceChildren(...(isCut || next !== null ? [button('Show more', goOn)] : []));
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
