import { describe, expect, it } from '@jest/globals';
import { type JsonObject, LongshoreError } from '@longshore/core';
import fc from 'fast-check';
import { type ModernMethod, parseModernParams } from '../src/modern/methods.ts';
import { checkParamHeaders } from '../src/modern/param-headers.ts';
import { ModernParams } from '../src/modern/params.ts';
import { parseModernRequest } from '../src/modern/request.ts';
import { classifyEra } from '../src/shared/era.ts';
import { errorToWire } from '../src/shared/error-to-wire.ts';
import { parseInbound } from '../src/shared/json-rpc.ts';
import { sentinel } from './support/modern-post.ts';

const RUNS = 4_000;
const anything = fc.jsonValue({ maxDepth: 2 });
const methods = Object.keys(ModernParams) as ModernMethod[];

/** Mostly `good`, so that the later steps are reached as well; sometimes anything at all. */
function mostly<T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<unknown> = anything) {
  return fc.oneof({ arbitrary: good, weight: 12 }, { arbitrary: bad, weight: 1 });
}

const names = fc.oneof(
  fc.constantFrom('echo', '', 'Größe', '=?base64?ZWNobw==?=', '__proto__'),
  fc.string({ unit: 'binary' }),
);
const method = mostly(
  fc.constantFrom(...methods),
  fc.constantFrom('ping', 'initialize', 'tasks/list', 'constructor', ''),
);
const version = mostly(fc.constant('2026-07-28'), fc.constantFrom('2025-11-25', 'v999', 5, null));
const capabilities = fc.oneof(
  fc.constantFrom({}, { elicitation: {} }, { extensions: { 'io.modelcontextprotocol/tasks': {} } }),
  fc.dictionary(fc.constantFrom('elicitation', 'sampling', 'tasks', 'extensions'), anything),
);
const meta = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': mostly(capabilities),
    'io.modelcontextprotocol/clientInfo': anything,
    'io.modelcontextprotocol/logLevel': mostly(fc.constantFrom('debug', 'emergency')),
    progressToken: mostly(fc.oneof(fc.string(), fc.integer())),
  },
  {
    requiredKeys: [
      'io.modelcontextprotocol/protocolVersion',
      'io.modelcontextprotocol/clientCapabilities',
    ],
  },
);
const params = fc.record(
  {
    _meta: mostly(meta),
    name: mostly(names),
    uri: mostly(names),
    taskId: mostly(names),
    arguments: anything,
    inputResponses: anything,
    notifications: anything,
  },
  { requiredKeys: ['_meta'] },
);
const body = fc.oneof(
  {
    arbitrary: fc.record(
      {
        jsonrpc: mostly(fc.constant('2.0')),
        id: mostly(fc.integer()),
        method,
        params: mostly(params),
      },
      { requiredKeys: ['jsonrpc', 'method', 'params'] },
    ),
    weight: 20,
  },
  { arbitrary: anything, weight: 1 },
  {
    arbitrary: fc.record({ jsonrpc: fc.constant('2.0'), id: fc.integer(), result: anything }),
    weight: 1,
  },
);

/** What a client in good order would send for this body, before some of it is spoilt. */
function fitting(message: unknown): Record<string, string> {
  const { method: called, params: given } = members(message);
  const { name, uri, taskId, _meta } = members(given);
  const source =
    called === 'resources/read' ? uri : text(called).startsWith('tasks/') ? taskId : name;
  return {
    'mcp-protocol-version': text(members(_meta)['io.modelcontextprotocol/protocolVersion']),
    'mcp-method': text(called),
    'mcp-name': sentinel(text(source)),
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function members(value: unknown): Partial<Record<string, unknown>> {
  return Object(value);
}

const junkHeaders = fc.dictionary(
  fc.constantFrom('mcp-protocol-version', 'MCP-Method', 'mcp-name', 'mcp-param-region'),
  fc.oneof(
    names,
    fc.constantFrom('2026-07-28', '=?base64?!?=', '=?base64?/w==?=', '\u0000', 'é'),
    fc.array(names, { maxLength: 3 }),
    // Long enough to tell linear work from anything worse.
    fc.constantFrom(' ', '\t', '=?base64?', '0').map((unit) => unit.repeat(50_000)),
  ),
);

/** The error's code, after checking that it is one a client can be blamed for; `served` without one. */
function codeOf(run: () => unknown): string {
  try {
    run();
    return 'served';
  } catch (error) {
    if (!(error instanceof LongshoreError)) throw error;
    const wire = errorToWire(error, 'modern');
    const refused = wire.httpStatus >= 400 && wire.httpStatus < 500;
    // Wrong params are the method's business: a 200 with an error inside.
    if (!refused && error.code !== 'INVALID_PARAMS') throw new Error(`${error.code} is no 4xx`);
    expect(wire.code).toBeLessThan(-32000);
    return error.code;
  }
}

describe('whatever is posted', () => {
  it('is served or refused, never anything else', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(body, fc.boolean(), junkHeaders, (message, inOrder, junk) => {
        const headers = inOrder ? fitting(message) : { ...fitting(message), ...junk };
        const versionHeader = junk['mcp-protocol-version'];
        const era = classifyEra(
          message,
          typeof versionHeader === 'string' ? versionHeader : undefined,
        );
        expect(['legacy', 'modern']).toContain(era);
        codeOf(() => parseInbound(message));
        const code = codeOf(() => {
          const inbound = parseModernRequest(headers, message, 'optional');
          if (inbound.kind === 'notification') return;
          const { request } = inbound;
          codeOf(() => parseModernParams(request.method, request.params));
        });
        seen.set(code, (seen.get(code) ?? 0) + 1);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 45_000, markInterruptAsFailure: true },
    );
    // Every step of the ladder was reached.
    expect([...seen.keys()].sort()).toEqual([
      'HEADER_MISMATCH',
      'INVALID_REQUEST',
      'MISSING_ENVELOPE',
      'UNKNOWN_METHOD',
      'UNSUPPORTED_VERSION',
      'served',
    ]);
  });

  it('beside arguments that are mirrored is accepted or a mismatch', () => {
    const value = anything;
    const schema = fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(
        fc.constantFrom('region', 'limit', '__proto__'),
        fc.oneof(fc.constant({ type: 'string', 'x-mcp-header': 'Region' }), value),
      ),
    });
    const args = fc.dictionary(fc.constantFrom('region', 'limit', '__proto__'), value);
    const seen = new Set<string>();
    fc.assert(
      fc.property(schema, args, junkHeaders, (inputSchema, given, headers) => {
        seen.add(
          codeOf(() => checkParamHeaders(inputSchema as JsonObject, given as JsonObject, headers)),
        );
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 45_000, markInterruptAsFailure: true },
    );
    expect([...seen].sort()).toEqual(['HEADER_MISMATCH', 'served']);
  });
});
