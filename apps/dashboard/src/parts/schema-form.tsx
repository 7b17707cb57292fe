import { Button, Checkbox, Select, Tabs, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { messageOf } from '../api/client.ts';
import { roundingProblem } from '../state/exact-numbers.ts';
import { isRecord, type Json } from '../state/json.ts';

interface Field {
  readonly name: string;
  readonly schema: Json;
  readonly isRequired: boolean;
}

function fieldsOf(schema: Json): Field[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: isRecord(property) ? property : {},
    isRequired: required.includes(name),
  }));
}

/** Of the fields that have one. */
const defaultsOf = (schema: Json): Json =>
  Object.fromEntries(
    fieldsOf(schema).flatMap(({ name, schema: { default: value } }) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

/**
 * A form of what a JSON Schema of an object asks for, with the JSON itself as the other way to fill it. What is right is for
 * the server to say: checking schemas in a page needs code made at run time, which the page's policy forbids.
 */
export function SchemaForm(props: {
  schema: Json;
  first?: Json | undefined;
  label: string;
  submit: string;
  not?: string | null;
  isBusy: boolean;
  send: (value: Record<string, unknown>) => void;
}) {
  const { schema, first, label, submit, not = null, isBusy, send } = props;
  const [value, setValue] = useState<Json>(() => first ?? defaultsOf(schema));
  const [text, setText] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const fields = fieldsOf(schema);
  const [tab, setTab] = useState(fields.length === 0 ? 'json' : 'form');
  const [bad, setBad] = useState<Readonly<Record<string, string>>>({});

  /** Null: the JSON is none of an object. */
  const read = (): Json | null => {
    if (text === null) return value;
    try {
      const parsed: unknown = JSON.parse(text);
      const rounding = roundingProblem(text);
      if (isRecord(parsed) && rounding === null) return parsed;
      setProblem(rounding ?? 'Arguments are an object: { … }');
    } catch (error) {
      setProblem(messageOf(error));
    }
    return null;
  };
  const turnTo = (next: string | null) => {
    const current = read();
    if (current === null || next === null) return;
    setProblem(null);
    setValue(current);
    setBad({});
    setText(next === 'json' ? JSON.stringify(current, null, 2) : null);
    setTab(next);
  };
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...rest } = value;
    setValue(next === undefined ? rest : { ...rest, [name]: next });
  };

  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (not !== null || isBusy) return;
        const current = read();
        const unread = Object.entries(bad)[0];
        if (tab === 'form' && unread !== undefined) setProblem(`${unread[0]}: ${unread[1]}`);
        else if (current !== null) send({ ...current });
      }}
    >
      <Tabs value={tab} onChange={turnTo} keepMounted={false}>
        <Tabs.List aria-label={`${label} as`}>
          {fields.length > 0 && <Tabs.Tab value="form">Form</Tabs.Tab>}
          <Tabs.Tab value="json">JSON</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="form" pt="sm">
          {fields.map((field) => (
            <FieldInput
              key={field.name}
              field={field}
              value={value[field.name]}
              set={(next) => set(field.name, next)}
              setBad={(message) =>
                setBad(({ [field.name]: _, ...rest }) =>
                  message === null ? rest : { ...rest, [field.name]: message },
                )
              }
            />
          ))}
        </Tabs.Panel>
        <Tabs.Panel value="json" pt="sm">
          <Textarea
            aria-label={`${label}, JSON`}
            className="mono"
            autosize
            minRows={6}
            maxRows={24}
            spellCheck={false}
            value={text ?? JSON.stringify(value, null, 2)}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        </Tabs.Panel>
      </Tabs>
      {problem !== null && (
        <p className="bad" role="alert">
          {problem}
        </p>
      )}
      <div className="tools" style={{ marginTop: 12 }}>
        <Button
          type="submit"
          size="xs"
          loading={isBusy}
          {...(not === null ? {} : { 'aria-disabled': true, 'data-disabled': true })}
        >
          {submit}
        </Button>
        {not !== null && <span className="soft">{not}</span>}
      </div>
    </form>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function typeOf({ type }: Json): string {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  return types.length === 1 && typeof types[0] === 'string' ? types[0] : 'any';
}

function FieldInput(props: {
  field: Field;
  value: unknown;
  set: (value: unknown) => void;
  setBad: (message: string | null) => void;
}) {
  const { field, value, set, setBad } = props;
  const { name, schema, isRequired } = field;
  const common = {
    label: textOf(schema['title']) || name,
    description: textOf(schema['description']),
    required: isRequired,
    mb: 'sm',
    size: 'sm',
  } as const;
  const choices = choicesOf(schema);
  if (choices !== null)
    return (
      <Select
        {...common}
        data={choices}
        value={textOf(value) || null}
        onChange={(next) => set(next ?? undefined)}
        clearable={!isRequired}
      />
    );
  const type = typeOf(schema);
  if (type === 'boolean')
    return (
      <Checkbox
        {...common}
        required={false}
        checked={value === true}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
    );
  if (type === 'string') {
    const input = {
      ...common,
      value: textOf(value),
      onChange: (event: { currentTarget: { value: string } }) =>
        set(
          event.currentTarget.value === '' && !isRequired ? undefined : event.currentTarget.value,
        ),
    };
    return isShort(schema) ? (
      <TextInput {...input} />
    ) : (
      <Textarea {...input} autosize maxRows={10} />
    );
  }
  const items = isRecord(schema['items']) ? schema['items'] : {};
  if (type === 'array' && typeOf(items) === 'string' && choicesOf(items) === null)
    return (
      <TagsInput
        {...common}
        value={Array.isArray(value) ? value.map(String) : []}
        onChange={set}
        placeholder="Type, then Enter"
      />
    );
  return (
    <JsonField
      common={common}
      isNumber={type === 'number' || type === 'integer'}
      value={value}
      set={set}
      setBad={setBad}
    />
  );
}

/** What has no input of its own is written as JSON. A number is, too: an input for numbers rounds what is typed. */
function JsonField(props: {
  common: { label: string; description: string; required: boolean };
  isNumber: boolean;
  value: unknown;
  set: (value: unknown) => void;
  setBad: (message: string | null) => void;
}) {
  const { common, isNumber, value, set, setBad } = props;
  const [text, setText] = useState(() =>
    value === undefined ? '' : JSON.stringify(value, null, 2),
  );
  const [error, setError] = useState<string | null>(null);
  const read = (next: string) => {
    setText(next);
    const problem = problemOf(next);
    if (problem === null) set(next.trim() === '' ? undefined : JSON.parse(next));
    setError(problem);
    setBad(problem);
  };
  const problemOf = (json: string): string | null => {
    try {
      const isOther = json.trim() !== '' && typeof JSON.parse(json) !== 'number';
      return isNumber && isOther ? 'This is no number.' : roundingProblem(json);
    } catch (failure) {
      return isNumber ? 'This is no number.' : messageOf(failure);
    }
  };
  const input = {
    ...common,
    mb: 'sm',
    value: text,
    error,
    onChange: (event: { currentTarget: { value: string } }) => read(event.currentTarget.value),
  };
  return isNumber ? (
    <TextInput {...input} inputMode="decimal" />
  ) : (
    <Textarea
      {...input}
      autosize
      minRows={2}
      maxRows={12}
      className="mono"
      placeholder="JSON"
      spellCheck={false}
    />
  );
}

const isShort = ({ format, maxLength }: Json): boolean =>
  format !== undefined || (typeof maxLength === 'number' && maxLength <= 200);

function choicesOf({
  enum: words,
  enumNames,
  oneOf,
}: Json): { value: string; label: string }[] | null {
  if (Array.isArray(words) && words.every((word) => typeof word === 'string'))
    return words.map((value: string, index) => ({
      value,
      label: (Array.isArray(enumNames) && textOf(enumNames[index])) || value,
    }));
  if (
    !Array.isArray(oneOf) ||
    !oneOf.every((one) => isRecord(one) && typeof one['const'] === 'string')
  )
    return null;
  return oneOf.map((one: Json) => ({
    value: textOf(one['const']),
    label: textOf(one['title']) || textOf(one['const']),
  }));
}
