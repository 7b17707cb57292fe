import { isRecord, type Json, recordIn, recordsIn, textIn } from '../state/json.ts';
import { countText } from '../state/time-text.ts';
import { button, cut, make } from './dom.ts';

const MOST_UNITS = 20_000;
const MOST_ROWS = 100;
const MOST_COLUMNS = 8;
const MOST_CELL_UNITS = 200;
const IMAGE = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/;

/** What can be done with a file that a result links to. */
export interface Links {
  /** Null: it can not be had through this host. */
  readonly save: ((uri: string, name: string) => Promise<void>) | null;
  readonly open: ((uri: string) => void) | null;
}

/** A CallToolResult: its texts, images and files, and its structured content as a table where it is one. */
export function resultView(result: Json, links: Links): HTMLElement {
  const structured = recordIn(result, 'structuredContent');
  const blocks = recordsIn(result, 'content').flatMap((block) =>
    blockView(block, structured, links),
  );
  const view = make(
    'div',
    { class: result['isError'] === true ? 'result bad' : 'result' },
    ...blocks,
  );
  if (structured !== null) view.append(...structuredView(structured));
  return view;
}

function blockView(block: Json, structured: Json | null, links: Links): HTMLElement[] {
  switch (block['type']) {
    case 'text': {
      const text = textIn(block, 'text') ?? '';
      // Structured content says the same.
      if (structured !== null && /^\s*[[{]/.test(text)) return [];
      return [make('p', { class: 'text' }, shortened(text))];
    }
    case 'image': {
      const type = textIn(block, 'mimeType') ?? '';
      if (!IMAGE.test(type)) return [];
      return [
        make('img', {
          src: `data:${type};base64,${textIn(block, 'data') ?? ''}`,
          alt: 'Image of the result',
        }),
      ];
    }
    case 'resource_link':
      return [linkView(block, links)];
    case 'resource': {
      const text = textIn(recordIn(block, 'resource'), 'text');
      return text === null ? [] : [make('pre', {}, shortened(text))];
    }
    default:
      return [];
  }
}

function linkView(block: Json, { save, open }: Links): HTMLElement {
  const uri = textIn(block, 'uri') ?? '';
  const name = textIn(block, 'name') ?? uri;
  const isOurs = uri.startsWith('longshore://');
  const isPage = /^https?:/.test(uri);
  return make(
    'p',
    { class: 'file' },
    make('span', {}, name),
    ...(isOurs && save !== null ? [button('Download', () => save(uri, name))] : []),
    ...(isPage && open !== null ? [button('Open', () => open(uri))] : []),
  );
}

function structuredView(structured: Json): HTMLElement[] {
  const entries = Object.entries(structured);
  const plain = entries.filter(([, value]) => !isDeep(value));
  const facts = plain.flatMap(([name, value]) => [
    make('dt', {}, name),
    make('dd', {}, cut(valueText(value), MOST_CELL_UNITS)),
  ]);
  return [
    ...(facts.length === 0 ? [] : [make('dl', {}, ...facts)]),
    ...entries.filter(([, value]) => isDeep(value)).map(([name, value]) => partView(name, value)),
  ];
}

const isDeep = (value: unknown): boolean => typeof value === 'object' && value !== null;

function partView(name: string, value: unknown): HTMLElement {
  const rows = Array.isArray(value) && value.length > 0 && value.every(isRecord) ? value : null;
  return make(
    'section',
    {},
    make('h2', {}, name),
    rows === null ? make('pre', {}, shortened(JSON.stringify(value, null, 1))) : tableView(rows),
  );
}

function tableView(rows: readonly Json[]): HTMLElement {
  const shown = rows.slice(0, MOST_ROWS);
  const names = [...new Set(shown.flatMap((row) => Object.keys(row)))].slice(0, MOST_COLUMNS);
  const head = make('tr', {}, ...names.map((name) => make('th', {}, name)));
  const body = shown.map((row) =>
    make(
      'tr',
      {},
      ...names.map((name) => make('td', {}, cut(valueText(row[name]), MOST_CELL_UNITS))),
    ),
  );
  const table = make(
    'div',
    { class: 'frame', tabindex: '0' },
    make('table', {}, make('thead', {}, head), make('tbody', {}, ...body)),
  );
  if (shown.length < rows.length) table.append(`and ${countText(rows.length - shown.length)} more`);
  return table;
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const shortened = (text: string): string =>
  text.length > MOST_UNITS
    ? `${text.slice(0, MOST_UNITS)}… and ${countText(text.length - MOST_UNITS)} characters more`
    : text;
