import { setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Whom a greedy client calls, and as whom. */
export interface GreedyTarget {
  /** Of the MCP endpoint. */
  readonly url: string;
  /** An API key. */
  readonly key: string;
  /** A task of the key's principal, whose answer to tasks/get is large; null: tools/list is asked for instead. */
  readonly taskId: string | null;
  /** A call of a tool that takes longer than the attack. */
  readonly slow: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
}

/** A way to use more than one's share of an API, each within what one client or its credential can do. */
interface Attack {
  readonly connections: number;
  /** What is written over and over, as fast as the server takes it. */
  readonly bytes: (target: GreedyTarget) => Buffer;
  /** Null: without a pause. */
  readonly pauseMs: number | null;
  readonly readsAnswers: boolean;
  /** After so many writes it has done what it does. */
  readonly rounds: number;
}

const PIPELINED_READS = 1_500;
const PIPELINED_PROBES = 2_000;
const WIDE_MEMBERS = 330_000;
const HANDSHAKE_BYTES = 1_400_000;

const ATTACKS = {
  /** Asks for large answers without end, and reads none. */
  'unread-answers': {
    connections: 4,
    bytes: (target) => repeated(PIPELINED_READS, largeRead(target)),
    pauseMs: null,
    readsAnswers: false,
    // Each connection twice: the first was cut.
    rounds: 8,
  },
  /** Asks for readiness without credentials, without waiting for answers. */
  readiness: {
    connections: 4,
    bytes: () => repeated(PIPELINED_PROBES, 'GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
    pauseMs: null,
    readsAnswers: true,
    rounds: 12,
  },
  /** Sends an object of very many members every second. */
  'wide-bodies': {
    connections: 1,
    bytes: (target) =>
      post(target, 'tools/call', { name: 'nobody', arguments: membersOf(WIDE_MEMBERS) }),
    pauseMs: 1_000,
    readsAnswers: true,
    rounds: 4,
  },
  /** Begins sessions whose client claims to be able to do very much. */
  handshakes: {
    connections: 1,
    bytes: (target) =>
      post(target, 'initialize', {
        protocolVersion: '2025-11-25',
        clientInfo: { name: 'greedy', version: '1' },
        capabilities: { experimental: { much: { text: 'x'.repeat(HANDSHAKE_BYTES) } } },
      }),
    pauseMs: null,
    readsAnswers: true,
    rounds: 200,
  },
  /** Opens streams that nothing is ever said on. */
  streams: {
    connections: 400,
    bytes: (target) =>
      post(target, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
    pauseMs: 1_000,
    readsAnswers: true,
    rounds: 800,
  },
  /** Has more slow calls under way than a worker runs at once. */
  seats: {
    connections: 24,
    bytes: (target) => post(target, 'tools/call', target.slow),
    pauseMs: null,
    readsAnswers: true,
    rounds: 24,
  },
} as const satisfies Record<string, Attack>;

export type Greed = keyof typeof ATTACKS;

export const GREEDS = Object.keys(ATTACKS) as Greed[];

export interface GreedyClient {
  /** It has gone on for long enough to show what it does. */
  readonly isThrough: boolean;
  /** Leaves at once; resolves when its connections are closed. */
  stop(): Promise<void>;
}

/** Begins an attack, which goes on until it is stopped: a connection that the server ends is opened again. */
export function startGreedyClient(greed: Greed, target: GreedyTarget): GreedyClient {
  const attack: Attack = ATTACKS[greed];
  const over = new AbortController();
  setMaxListeners(attack.connections, over.signal);
  const bytes = attack.bytes(target);
  let writes = 0;
  const lane = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await pour(target.url, attack, bytes, over.signal, () => (writes += 1));
    }
  };
  const lanes = Array.from({ length: attack.connections }, lane);
  return {
    get isThrough() {
      return writes >= attack.rounds;
    },
    stop: async () => {
      over.abort();
      await Promise.all(lanes);
    },
  };
}

/** A pause before a server that refuses connections is tried again. */
const RECONNECT_MS = 50;

/** Writes to one connection until it is closed, from either side. */
function pour(
  url: string,
  { readsAnswers, pauseMs }: Attack,
  bytes: Buffer,
  over: AbortSignal,
  onWrite: () => void,
): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let timer: NodeJS.Timeout | null = null;
  const write = (): void => {
    onWrite();
    socket.write(bytes, (error) => {
      if (error || socket.destroyed) return;
      // Not at once: what the kernel takes at once would keep its own process from all else.
      if (pauseMs === null) setImmediate(write);
      else timer = setTimeout(write, pauseMs);
    });
  };
  const leave = (): Socket => socket.destroy();
  over.addEventListener('abort', leave);
  if (readsAnswers) socket.resume();
  else socket.pause();
  socket.on('error', () => {});
  socket.once('connect', write);
  return new Promise((resolve) => {
    socket.once('close', () => {
      over.removeEventListener('abort', leave);
      if (timer !== null) clearTimeout(timer);
      if (over.aborted) resolve();
      else setTimeout(resolve, RECONNECT_MS);
    });
  });
}

function largeRead(target: GreedyTarget): Buffer {
  const { taskId } = target;
  return taskId === null
    ? post(target, 'tools/list', {})
    : post(target, 'tasks/get', { taskId }, taskId);
}

/** A request of 2026-07-28, which needs no session; `initialize` is of 2025-11-25, as it has to be. */
function post(
  { key }: GreedyTarget,
  method: string,
  params: Readonly<Record<string, unknown>>,
  name: unknown = params['name'],
): Buffer {
  const isHandshake = method === 'initialize';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  };
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: isHandshake ? params : { ...params, _meta: meta },
  });
  const lines = [
    'POST /mcp HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Authorization: Bearer ${key}`,
    ...(isHandshake ? [] : ['MCP-Protocol-Version: 2026-07-28', `Mcp-Method: ${method}`]),
    ...(typeof name === 'string' ? [`Mcp-Name: ${name}`] : []),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function membersOf(count: number): Record<string, number> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`m${index.toString(36)}`, 0]),
  );
}

function repeated(times: number, request: Buffer | string): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => Buffer.from(request)));
}
