import { META } from '@longshore/testing/mcp';
import type { SeededRandom } from './seeded-random.ts';

type Json = Record<string, unknown>;

/** A request as a correct client sends it. */
export interface WireRequest {
  readonly body: Json;
  readonly headers: Record<string, string>;
}

/** What requests may name: things that are there. */
export interface Known {
  readonly sessionId: string;
  readonly taskId: string;
}

const CLIENT_INFO = { name: 'fuzz', version: '1' };

/** Every method of 2025-11-25 that a client may send, each with params that are good. */
const LEGACY: readonly (readonly [string, (known: Known) => Json])[] = [
  [
    'initialize',
    () => ({ protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT_INFO }),
  ],
  ['ping', () => ({})],
  ['logging/setLevel', () => ({ level: 'warning' })],
  ['tools/list', () => ({})],
  ['tools/call', () => ({ name: 'echo', arguments: { text: 'x' } })],
  ['tools/call', () => ({ name: 'echo', arguments: { text: 'x' }, task: { ttl: 60_000 } })],
  [
    'tools/call',
    () => ({ name: 'fail', arguments: { message: 'm' }, _meta: { progressToken: 1 } }),
  ],
  ['tasks/get', ({ taskId }) => ({ taskId })],
  ['tasks/result', ({ taskId }) => ({ taskId })],
  ['tasks/cancel', ({ taskId }) => ({ taskId })],
  ['tasks/list', () => ({})],
  ['prompts/list', () => ({})],
  ['prompts/get', () => ({ name: 'greeting', arguments: { name: 'Ada' } })],
  ['resources/list', () => ({})],
  ['resources/templates/list', () => ({})],
  ['resources/read', () => ({ uri: 'library://manual' })],
  ['resources/subscribe', () => ({ uri: 'library://manual' })],
  ['resources/unsubscribe', () => ({ uri: 'library://manual' })],
  [
    'completion/complete',
    () => ({
      ref: { type: 'ref/prompt', name: 'greeting' },
      argument: { name: 'tone', value: 'w' },
    }),
  ],
  ['notifications/initialized', () => ({})],
  ['notifications/cancelled', () => ({ requestId: 17, reason: 'no more' })],
  ['notifications/progress', () => ({ progressToken: 1, progress: 2 })],
  ['notifications/roots/list_changed', () => ({})],
];

/** The same for 2026-07-28. */
const MODERN: readonly (readonly [string, (known: Known) => Json])[] = [
  ['server/discover', () => ({})],
  ['tools/list', () => ({})],
  ['tools/call', () => ({ name: 'echo', arguments: { text: 'x' } })],
  ['tools/call', () => ({ name: 'fail', arguments: { message: 'm' } })],
  [
    'tools/call',
    () => ({ name: 'echo', arguments: {}, requestState: 'v1.e30.AAAA', inputResponses: {} }),
  ],
  ['tasks/get', ({ taskId }) => ({ taskId })],
  ['tasks/update', ({ taskId }) => ({ taskId, inputResponses: {} })],
  ['tasks/cancel', ({ taskId }) => ({ taskId })],
  ['prompts/list', () => ({})],
  ['prompts/get', () => ({ name: 'greeting', arguments: { name: 'Ada' } })],
  ['resources/list', () => ({})],
  ['resources/templates/list', () => ({})],
  ['resources/read', () => ({ uri: 'library://manual' })],
  [
    'completion/complete',
    () => ({
      ref: { type: 'ref/resource', uri: 'library://books/{id}' },
      argument: { name: 'id', value: 'm' },
    }),
  ],
  [
    'subscriptions/listen',
    ({ taskId }) => ({ notifications: { toolsListChanged: true, taskIds: [taskId] } }),
  ],
];

const CAPABILITIES = [
  {},
  { elicitation: {} },
  { extensions: { 'io.modelcontextprotocol/tasks': {} } },
] as const;

/** A request of either era that would be served. */
export function wireRequest(random: SeededRandom, known: Known): WireRequest {
  return random.chance(0.5) ? legacyRequest(random, known) : modernRequest(random, known);
}

function legacyRequest(random: SeededRandom, known: Known): WireRequest {
  const [method, params] = random.pick(LEGACY);
  const isNote = method.startsWith('notifications/');
  return {
    body: {
      jsonrpc: '2.0',
      ...(isNote ? {} : { id: random.int(1_000_000) }),
      method,
      params: params(known),
    },
    headers: {
      ...PLAIN_HEADERS,
      ...(method === 'initialize'
        ? {}
        : { 'Mcp-Session-Id': known.sessionId, 'MCP-Protocol-Version': '2025-11-25' }),
    },
  };
}

function modernRequest(random: SeededRandom, known: Known): WireRequest {
  const [method, make] = random.pick(MODERN);
  const meta = {
    [META.version]: '2026-07-28',
    [META.capabilities]: random.pick(CAPABILITIES),
  };
  const body = {
    jsonrpc: '2.0',
    id: random.int(1_000_000),
    method,
    params: { ...make(known), _meta: meta },
  };
  return { body, headers: modernHeaders(body) };
}

const PLAIN_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

/** The headers that 2026-07-28 wants for a body; what is no header is left out. */
export function modernHeaders(body: unknown): Record<string, string> {
  const { method, params } = asObject(body);
  const given = asObject(params);
  const meta = asObject(given['_meta']);
  const mirrored = {
    'MCP-Protocol-Version': meta[META.version],
    'Mcp-Method': method,
    'Mcp-Name': given['name'] ?? given['taskId'] ?? given['uri'],
  };
  const sendable = Object.entries(mirrored).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && /^[\x21-\x7e]{1,200}$/.test(entry[1]),
  );
  return { ...PLAIN_HEADERS, ...Object.fromEntries(sendable) };
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
