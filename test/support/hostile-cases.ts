import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { hostileText, mutated } from './hostile-json.ts';
import type { RawCase } from './raw-lane.ts';
import type { SeededRandom } from './seeded-random.ts';
import { type Known, modernHeaders, type WireRequest, wireRequest } from './wire-requests.ts';

type Make = (random: SeededRandom, known: Known) => RawCase;

/** One case by chance: mostly requests with something wrong in them, else broken HTTP. */
export function hostileCase(random: SeededRandom, known: Known): RawCase {
  const dice = random.int(TOTAL_WEIGHT);
  let sum = 0;
  for (const [weight, make] of KINDS) {
    sum += weight;
    if (dice < sum) return make(random, known);
  }
  throw new RangeError('weights do not add up');
}

function request(
  what: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
  more: Partial<RawCase> & { line?: string; length?: number | null } = {},
): RawCase {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const { line = 'POST /mcp HTTP/1.1', length = bytes.length, ...rest } = more;
  const lines = [line, 'Host: 127.0.0.1'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (length !== null) lines.push(`Content-Length: ${length}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return { what, bytes: Buffer.concat([head, bytes]), requests: 1, after: 'wait', ...rest };
}

const text = ({ body }: WireRequest): string => JSON.stringify(body);

/** A good request whose members are bent; its headers may follow. */
const mutatedRequest: Make = (random, known) => {
  const { body, headers } = wireRequest(random, known);
  const bent = mutated(random, body);
  const follows = headers['Mcp-Method'] !== undefined && random.chance(0.7);
  return request(
    'bent members',
    follows ? modernHeaders(bent) : headers,
    hostileText(random, bent),
  );
};

/** A good request as it is: the others must not have broken anything. */
const goodRequest: Make = (random, known) => {
  const good = wireRequest(random, known);
  return request('good', good.headers, text(good));
};

const bentBytes: Make = (random, known) => {
  const good = wireRequest(random, known);
  const bytes = Buffer.from(text(good));
  for (let flips = 1 + random.int(8); flips > 0; flips -= 1) {
    bytes[random.int(bytes.length)] = random.int(256);
  }
  return request('bent bytes', good.headers, bytes);
};

const truncated: Make = (random, known) => {
  const good = wireRequest(random, known);
  const whole = Buffer.from(text(good));
  const part = whole.subarray(0, random.int(whole.length));
  // Either an honest length of half a message, or half of what was announced.
  if (random.chance(0.5)) return request('truncated', good.headers, part);
  return request('truncated, longer announced', good.headers, part, {
    length: whole.length,
    requests: 0,
    after: random.pick(['finish', 'reset']),
  });
};

const duplicated: Make = (random, known) => {
  const good = wireRequest(random, known);
  const once = text(good);
  if (random.chance(0.5)) return request('duplicated', good.headers, once + once);
  if (random.chance(0.5)) return request('a batch', good.headers, `[${once},${once}]`);
  return request('duplicated beyond its length', good.headers, once + once, {
    length: Buffer.byteLength(once),
    requests: 0,
  });
};

const randomBody: Make = (random, known) => {
  const { headers } = wireRequest(random, known);
  return request('random body', headers, random.bytes(random.pick([1, 16, 300, 3_000])));
};

const huge: Make = (random, known) => {
  const { headers, body } = wireRequest(random, known);
  const size = random.pick([200_000, 400_000, 1_200_000]);
  const pad = random.pick(['x'.repeat(size), '[{}],'.repeat(size / 5), '\\u0000'.repeat(size / 6)]);
  const whole = JSON.stringify({ ...body, pad: 0 }).replace('"pad":0', `"pad":"${pad}"`);
  // The server may answer and end the connection before it has read everything.
  return request('huge', headers, whole, { requests: 0 });
};

const encoded: Make = (random, known) => {
  const good = wireRequest(random, known);
  const json = Buffer.from(text(good));
  const [encoding, bytes] = random.pick<readonly [string, () => Buffer]>([
    ['gzip', () => gzipSync(json)],
    ['deflate', () => deflateSync(json)],
    ['br', () => brotliCompressSync(json)],
    ['gzip', () => json],
    ['br', () => random.bytes(40)],
    ['gzip', () => gzipSync(json).subarray(0, 30)],
    ['gzip', () => gzipSync(Buffer.alloc(2_000_000, 0x20))],
    ['gzip, gzip', () => gzipSync(gzipSync(json))],
    ['identity', () => json],
    ['rot13', () => json],
    ['', () => json],
  ]);
  const headers = { ...good.headers, 'Content-Encoding': encoding };
  return request(`encoded as ${encoding}`, headers, bytes(), { requests: 0 });
};

const charset: Make = (random, known) => {
  const good = wireRequest(random, known);
  const json = text(good);
  const [type, bytes] = random.pick<readonly [string, Buffer]>([
    ['application/json; charset=utf-16', Buffer.from(json, 'utf16le')],
    ['application/json; charset=utf-16le', Buffer.from(json, 'utf16le')],
    ['application/json; charset=latin1', Buffer.from(json, 'latin1')],
    ['application/json; charset=iso-8859-1', Buffer.from('"é"', 'latin1')],
    ['application/json; charset=utf-32', Buffer.from(json)],
    ['application/json; charset=klingon', Buffer.from(json)],
    ['application/json; charset="utf-8', Buffer.from(json)],
    ['application/json;;;charset=', Buffer.from(json)],
    ['application/json', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(json)])],
    ['application/json', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(json, 'utf16le')])],
    ['application/json', Buffer.from([0x22, 0xc3, 0x28, 0xf0, 0x9f, 0x22])],
    ['text/plain', Buffer.from(json)],
    ['multipart/form-data; boundary=x', Buffer.from('--x\r\n\r\n--x--')],
    ['application/x-www-form-urlencoded', Buffer.from('a=b&__proto__[x]=1')],
    ['application/json, text/html', Buffer.from(json)],
    ['', Buffer.from(json)],
  ]);
  return request(`type ${type}`, { ...good.headers, 'Content-Type': type }, bytes);
};

const HEADER_NAMES = [
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Last-Event-ID',
  'Accept',
  'Origin',
  'Authorization',
  'Content-Type',
  'X-Request-Id',
  'X-Forwarded-For',
  'Expect',
  'Connection',
  'Upgrade',
  'Cookie',
  '__proto__',
] as const;

/** Values as they are put on the wire, in Latin-1. */
function headerValue(random: SeededRandom): string {
  return random.pick<() => string>([
    () => '',
    () => 'a\r\nX-Injected: 1',
    () => 'a\nX-Injected: 1',
    () => 'a\r\n folded',
    () => 'a\u0000b',
    () => '\u00ff\u00fe',
    () => '%0d%0aX-Injected:%201',
    () => '=?base64?DQpYLUluamVjdGVkOiAx?=',
    () => 'x'.repeat(random.pick([300, 5_000, 20_000])),
    () => '../../..',
    () => '__proto__',
    () => '*/*;q=0, application/json;q=2, ,;',
    () => '2026-07-28, 2025-11-25',
    () => 'Bearer '.repeat(50),
    () => random.bytes(20).toString('latin1').replaceAll('\n', ' '),
    () => 's:00000000-0000-4000-8000-000000000000:9999999999999999999999',
  ])();
}

const bentHeaders: Make = (random, known) => {
  const good = wireRequest(random, known);
  const name = random.pick([...HEADER_NAMES, ...Object.keys(good.headers)]);
  const headers = { ...good.headers };
  // Now and then beside the good one, in another case: the same header twice.
  const spelled = random.chance(0.3) ? name.toUpperCase() : name;
  headers[spelled] = headerValue(random);
  return request(`header ${spelled}`, headers, text(good), { requests: 0 });
};

const brokenHttp: Make = (random, known) => {
  const good = wireRequest(random, known);
  const body = text(good);
  const plain = (bytes: string, what: string): RawCase => ({
    what,
    bytes: Buffer.from(bytes, 'latin1'),
    requests: 0,
    after: 'finish',
  });
  const head = 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';
  return random.pick<() => RawCase>([
    () => plain(`${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n${body}`, 'two lengths'),
    () =>
      plain(
        `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
        'length and chunks',
      ),
    () => plain(`${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\nx\r\n0\r\n\r\n`, 'broken chunks'),
    () => plain(`${head}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n`, 'endless chunk'),
    () => plain(`${head}Transfer-Encoding: xchunked\r\n\r\n${body}`, 'unknown transfer'),
    () => plain(`${head}Content-Length: -1\r\n\r\n${body}`, 'negative length'),
    () => plain(`${head}Content-Length: 99999999999999999999\r\n\r\n${body}`, 'absurd length'),
    () => plain(`${head}Content-Length: 0x10\r\n\r\n${body}`, 'length in hex'),
    () => plain(`${head}Bad Header: x\r\nContent-Length: 0\r\n\r\n`, 'space in a name'),
    () => plain(`${head}: nameless\r\n\r\n`, 'no name'),
    () => plain(`${head}${'X-Many: 1\r\n'.repeat(3_000)}\r\n`, 'many headers'),
    () => plain('POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}', 'no host'),
    () =>
      plain('POST /mcp HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 2\r\n\r\n{}', 'two hosts'),
    () => plain('POST /mcp HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n', 'HTTP/1.0'),
    () => plain('POST /mcp HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n', 'HTTP/9.9'),
    () => plain('POST /mcp\r\n\r\n', 'HTTP/0.9'),
    () => plain('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'the preface of HTTP/2'),
    () => plain('\u0016\u0003\u0001\u0002\u0000\u0001\u0000', 'the beginning of TLS'),
    () => plain('\r\n'.repeat(random.int(200)), 'empty lines'),
    () => plain('CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n', 'CONNECT'),
    () => plain(random.bytes(random.pick([1, 10, 200, 2_000])).toString('latin1'), 'random bytes'),
    () => ({ ...plain(head, 'half a head, then gone'), after: 'reset' }),
  ])();
};

const METHODS = ['PUT', 'PATCH', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];
const PATHS = [
  '/mcp',
  '/mcp/',
  '/mcp?a[__proto__][x]=1',
  '//mcp',
  '/MCP',
  '/mcp/../mcp',
  '/%6dcp',
  '/mcp%00',
  '/%E0%A4%A',
  '/',
  '*',
  'http://evil.example/mcp',
  '/healthz',
  '/.well-known/oauth-protected-resource',
  `/${'a'.repeat(9_000)}`,
] as const;

const wrongMethodOrPath: Make = (random, known) => {
  const good = wireRequest(random, known);
  const method = random.pick([...METHODS, 'POST', 'post', 'BREW', 'M-SEARCH']);
  const path = random.pick(PATHS);
  const body = random.chance(0.5) ? text(good) : '';
  // A DELETE that is good would end the session that all the others are in.
  const { 'Mcp-Session-Id': _session, ...headers } = good.headers;
  const kept = method === 'DELETE' ? headers : good.headers;
  return request(`${method} ${path}`, kept, body, {
    line: `${method} ${path} HTTP/1.1`,
    isHead: method === 'HEAD',
    isElsewhere: path !== '/mcp',
    requests: 0,
  });
};

const resumedStream: Make = (random, known) => {
  const id = random.pick([
    headerValue(random),
    `s.${random.int(99)}`,
    `${random.pick(['s', 'c', 'r', 'e', 'x'])}${random.bytes(12).toString('base64url')}`,
    Buffer.from(JSON.stringify({ k: 's', n: random.int(9), t: known.taskId })).toString(
      'base64url',
    ),
  ]);
  const headers = {
    Accept: 'text/event-stream',
    'Mcp-Session-Id': known.sessionId,
    'Last-Event-ID': id.replaceAll(/[\r\n\0]/g, ''),
  };
  return request('resumed', headers, '', { line: 'GET /mcp HTTP/1.1', length: null, requests: 0 });
};

/** Several in one write, as clients that do not wait for answers send them. */
const pipelined: Make = (random, known) => {
  const parts = Array.from({ length: 2 + random.int(4) }, () => {
    const body = { jsonrpc: '2.0', id: random.int(99), method: random.pick(['ping', 'no/such']) };
    const headers = {
      'Content-Type': 'application/json',
      Accept: '*/*',
      'Mcp-Session-Id': known.sessionId,
    };
    return request('', headers, JSON.stringify(random.chance(0.7) ? body : mutated(random, body)));
  });
  return {
    what: 'pipelined',
    bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
    requests: 0,
    after: 'finish',
  };
};

const KINDS: readonly (readonly [number, Make])[] = [
  [40, mutatedRequest],
  [6, goodRequest],
  [8, bentBytes],
  [8, truncated],
  [5, duplicated],
  [5, randomBody],
  [3, huge],
  [5, encoded],
  [5, charset],
  [10, bentHeaders],
  [8, brokenHttp],
  [6, wrongMethodOrPath],
  [3, resumedStream],
  [3, pipelined],
];

const TOTAL_WEIGHT = KINDS.reduce((sum, [weight]) => sum + weight, 0);
