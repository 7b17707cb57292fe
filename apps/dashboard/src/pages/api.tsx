import { Button, JsonInput, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { API, messageOf } from '../api/client.ts';
import { OPENAPI } from '../api/queries.ts';
import { JsonView } from '../parts/json-view.tsx';
import { Page } from '../parts/page.tsx';
import { Shown } from '../parts/states.tsx';

/** One operation of the OpenAPI document. */
interface Described {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly parameters: readonly Parameter[];
  readonly body: object | null;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: { readonly enum?: readonly string[]; readonly description?: string };
}

/** Every operation of the API, to read about and to try. */
export function ApiPage() {
  const query = useQuery(OPENAPI);
  const { operation } = useSearch({ from: '/api' });
  const navigate = useNavigate({ from: '/api' });
  return (
    <Page title="API" aside={<a href={`${API}/openapi.json`}>OpenAPI 3.1</a>}>
      <p className="soft">
        All that this page can do is done by these operations. What is tried here is done with the
        rights that you have here.
      </p>
      <Shown query={query}>
        {(document) => {
          const all = operationsOf(document);
          const chosen = all.find(({ name }) => name === operation) ?? all[0];
          return (
            <>
              <Select
                size="sm"
                label="Operation"
                searchable
                allowDeselect={false}
                data={groups(all)}
                value={chosen?.name ?? null}
                onChange={(name) => void navigate({ search: { operation: name ?? undefined } })}
              />
              {chosen !== undefined && <Try key={chosen.name} operation={chosen} />}
            </>
          );
        }}
      </Shown>
    </Page>
  );
}

function Try({ operation }: { operation: Described }) {
  const { method, path, parameters, body } = operation;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [text, setText] = useState('{}');
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<{ status: number; value: unknown } | string | null>(null);
  const url = `${API}${filled(path, parameters, values)}`;
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const response = await fetch(url, {
        method,
        headers: {
          'X-Longshore-Dashboard': '1',
          ...(body === null ? {} : { 'Content-Type': 'application/json' }),
        },
        body: body === null ? null : text,
        signal: AbortSignal.timeout(30_000),
      });
      const said = await response.text();
      setAnswer({ status: response.status, value: parsed(said) });
    } catch (error) {
      setAnswer(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void send(event)} style={{ marginTop: 16 }}>
      <p>
        {operation.summary}. <span className="soft">{operation.description}</span>
      </p>
      {parameters.map(({ name, required, schema }) => (
        <TextInput
          key={name}
          size="xs"
          mb="xs"
          label={name}
          description={schema.description ?? schema.enum?.join(', ')}
          required={required}
          value={values[name] ?? ''}
          onChange={({ currentTarget }) => setValues({ ...values, [name]: currentTarget.value })}
        />
      ))}
      {body !== null && (
        <>
          <JsonInput label="Body" size="xs" autosize minRows={3} value={text} onChange={setText} />
          <details style={{ margin: '8px 0' }}>
            <summary>Its schema</summary>
            <JsonView value={body} label="Schema of the body" />
          </details>
        </>
      )}
      <p>
        <code>
          {method} {url}
        </code>
      </p>
      <Button type="submit" size="xs" loading={isBusy} color={method === 'GET' ? '' : 'red.9'}>
        Send
      </Button>
      <div role="status" style={{ marginTop: 16 }}>
        {typeof answer === 'string' && <p className="bad">{answer}</p>}
        {answer !== null && typeof answer === 'object' && (
          <>
            <h2>Answer {answer.status}</h2>
            <JsonView value={answer.value} label="Answer" />
          </>
        )}
      </div>
    </form>
  );
}

function operationsOf(document: unknown): Described[] {
  const { paths } = document as { paths: Record<string, Record<string, Record<string, unknown>>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, of]) => ({
      name: String(of['operationId']),
      method: method.toUpperCase(),
      path,
      summary: String(of['summary']),
      description: String(of['description']),
      tag: String((of['tags'] as string[])[0]),
      parameters: of['parameters'] as Parameter[],
      body: schemaOf(of['requestBody']),
    })),
  );
}

function schemaOf(body: unknown): object | null {
  if (body === undefined) return null;
  const { content } = body as { content: Record<string, { schema: object }> };
  return content['application/json']?.schema ?? {};
}

const groups = (all: readonly Described[]) =>
  [...new Set(all.map(({ tag }) => tag))].map((group) => ({
    group,
    items: all
      .filter(({ tag }) => tag === group)
      .map(({ name, method, path }) => ({ value: name, label: `${method} ${path}` })),
  }));

function filled(
  path: string,
  parameters: readonly Parameter[],
  values: Readonly<Record<string, string>>,
): string {
  const place = path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    values[name] === undefined || values[name] === '' ? whole : encodeURIComponent(values[name]),
  );
  const query = new URLSearchParams(
    parameters
      .filter(({ in: where, name }) => where === 'query' && (values[name] ?? '') !== '')
      .map(({ name }): [string, string] => [name, values[name] ?? '']),
  ).toString();
  return query === '' ? place : `${place}?${query}`;
}

/** NDJSON and files are text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
