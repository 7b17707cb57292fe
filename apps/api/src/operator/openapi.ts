import { OPERATIONS, type Operation, Problem } from '@longshore/operator';
import * as z from 'zod';

const SCOPES: Readonly<Record<Operation['needs'], string>> = {
  nothing: 'No credential.',
  login: 'Any valid credential.',
  'own:read': 'The scope `tasks:read` for tasks of one’s own, `ops:read` for those of all.',
  'own:write': 'The scope `tasks:write` for tasks of one’s own, `ops:write` for those of all.',
  'ops:read': 'The scope `ops:read`.',
  'ops:write': 'The scope `ops:write`.',
};

let made: { readonly version: string; readonly document: object } | null = null;

/** The operator API as OpenAPI 3.1, from the schemas that check it. Made when it is first asked for. */
export function openApiDocument(version: string): object {
  if (made?.version !== version) made = { version, document: document(version) };
  return made.document;
}

function document(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, operation] of Object.entries<Operation>(OPERATIONS)) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(name, operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Longshore operator API',
      version,
      description:
        'What the dashboard and the command line use. Lists are paged by cursors; instants are RFC 3339 in UTC. `GET /events` is a stream of server-sent events that says what changes.',
    },
    servers: [{ url: '/api/v1' }],
    security: [{ bearer: [] }],
    tags: [
      { name: 'tasks', description: 'Tasks, their results and items' },
      { name: 'fleet', description: 'Tools, workers, queues, schedules and figures' },
      { name: 'access', description: 'Who calls, principals and keys' },
    ],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or an access token' },
      },
      schemas: { Problem: schemaOf(Problem, 'output') },
    },
  };
}

function describe(name: string, operation: Operation): object {
  const { summary, tag, needs, params, query, body, answer } = operation;
  const content =
    typeof answer === 'string'
      ? { [answer]: {} }
      : { 'application/json': { schema: schemaOf(answer, 'output') } };
  return {
    operationId: name
      .toLowerCase()
      .replace(/[^a-z]+/g, '_')
      .replace(/_$/, ''),
    summary,
    description: SCOPES[needs],
    tags: [tag],
    ...(needs === 'nothing' ? { security: [] } : {}),
    parameters: [...parametersOf(params, 'path'), ...parametersOf(query, 'query')],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(body, 'input') } },
          },
        }),
    responses: {
      200: { description: 'Done', content },
      default: {
        description: 'An error; docs/errors.md has the codes',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): object[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
  });
  return json;
}
