import { isRecord, type Json, recordIn, recordsIn, textIn } from '../state/json.ts';
import { button, make } from './dom.ts';
import type { Question } from './job.ts';

type Action = 'accept' | 'decline' | 'cancel';

interface Field {
  readonly row: HTMLElement;
  /** Undefined: nothing was filled in. */
  readonly read: () => unknown;
}

const INPUT_TYPES: Readonly<Record<string, string>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
};

/**
 * A question of a tool with its form (elicitation). What fits is for the server to say; an answer that does not fit makes the
 * tool ask again.
 *
 * @param openLink null: the host opens none
 */
export function questionForm(
  { method, params }: Question,
  answer: (action: Action, content?: Json) => Promise<void>,
  openLink: ((url: string) => void) | null,
): HTMLElement {
  const asked = make('p', { class: 'asked' }, textIn(params, 'message') ?? '');
  if (method !== 'elicitation/create') {
    return make('div', {}, 'It waits for an answer that only its own client can give.');
  }
  const others = [
    button('Decline', () => answer('decline')),
    button('Dismiss', () => answer('cancel')),
  ];
  const url = textIn(params, 'url');
  if (url !== null) {
    const open = openLink === null ? [] : [button('Open the page', () => openLink(url))];
    const agree = button('Agree', () => answer('accept'));
    const tools = make('div', { class: 'tools' }, ...open, agree, ...others);
    return make('div', {}, asked, make('p', {}, make('code', {}, url)), tools);
  }
  const schema = recordIn(params, 'requestedSchema') ?? {};
  const needed = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(recordIn(schema, 'properties') ?? {}).map(
    ([name, property]) =>
      [name, fieldOf(name, isRecord(property) ? property : {}, needed.includes(name))] as const,
  );
  const send = make('button', { type: 'submit', class: 'main' }, 'Answer');
  const form = make(
    'form',
    { 'aria-label': 'Answer' },
    asked,
    ...fields.map(([, { row }]) => row),
    make('div', { class: 'tools' }, send, ...others),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    const filled = fields.map(([name, { read }]) => [name, read()] as const);
    send.disabled = true;
    void answer(
      'accept',
      Object.fromEntries(filled.filter(([, value]) => value !== undefined)),
    ).finally(() => {
      send.disabled = false;
    });
  };
  return form;
}

function fieldOf(name: string, schema: Json, isNeeded: boolean): Field {
  const input = inputOf(schema, isNeeded);
  const title = textIn(schema, 'title') ?? name;
  const description = textIn(schema, 'description');
  const label = make('span', {}, isNeeded ? `${title} *` : title);
  const hint = description === null ? [] : [make('small', {}, description)];
  const isCheck = input.element instanceof HTMLInputElement && input.element.type === 'checkbox';
  return {
    row: isCheck
      ? make('label', { class: 'check' }, input.element, label, ...hint)
      : make('label', {}, label, ...hint, input.element),
    read: input.read,
  };
}

function inputOf(schema: Json, isNeeded: boolean): { element: HTMLElement; read: () => unknown } {
  const { type, default: first } = schema;
  if (type === 'boolean') {
    const box = make('input', { type: 'checkbox' });
    box.checked = first === true;
    return { element: box, read: () => box.checked };
  }
  const choices = choicesOf(type === 'array' ? (recordIn(schema, 'items') ?? {}) : schema);
  if (choices.length > 0) return selectOf(choices, schema, isNeeded);
  const isNumber = type === 'number' || type === 'integer';
  const input = make('input', {
    type: isNumber ? 'number' : (INPUT_TYPES[textIn(schema, 'format') ?? ''] ?? 'text'),
    ...(isNumber ? { step: type === 'integer' ? '1' : 'any' } : {}),
  });
  input.required = isNeeded;
  if (typeof first === 'string' || typeof first === 'number') input.value = String(first);
  const read = (): unknown => {
    if (input.value === '') return undefined;
    if (isNumber) return input.valueAsNumber;
    // The browser gives no zone.
    return input.type === 'datetime-local' ? new Date(input.value).toISOString() : input.value;
  };
  return { element: input, read };
}

type Choice = readonly [value: string, label: string];

function selectOf(choices: readonly Choice[], schema: Json, isNeeded: boolean) {
  const { type, default: first } = schema;
  const isMany = type === 'array';
  const chosen = new Set(Array.isArray(first) ? first : [first]);
  const select = make('select', {});
  select.multiple = isMany;
  select.required = isNeeded;
  if (!isMany) select.append(make('option', { value: '' }, '–'));
  for (const [value, label] of choices) {
    const option = make('option', { value }, label);
    option.selected = chosen.has(value);
    select.append(option);
  }
  const read = (): unknown => {
    if (!isMany) return select.value === '' ? undefined : select.value;
    return [...select.selectedOptions].map(({ value }) => value);
  };
  return { element: select, read };
}

/** `enum`, with `enumNames` or without, or constants with titles (2025-11-25 client/elicitation). */
function choicesOf(schema: Json): readonly Choice[] {
  const titled = [...recordsIn(schema, 'oneOf'), ...recordsIn(schema, 'anyOf')];
  if (titled.length > 0) {
    return titled.map((one) => [
      textIn(one, 'const') ?? '',
      textIn(one, 'title') ?? String(one['const']),
    ]);
  }
  const values = Array.isArray(schema['enum']) ? schema['enum'].map(String) : [];
  const names = Array.isArray(schema['enumNames']) ? schema['enumNames'].map(String) : [];
  return values.map((value, index) => [value, names[index] ?? value]);
}
