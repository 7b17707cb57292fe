import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  type ClientCapabilities,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { ada, FULL_ABILITIES, type Person } from './person.ts';

/** The official SDK 1.x as a host uses it, with somebody who answers. */
export interface SdkV1Client {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  readonly person: Person;
  /** The HTTP methods it used, in order. */
  readonly sent: string[];
}

/**
 * @param options.sessionId takes up a session of an earlier process instead of opening one
 */
export async function connectSdkV1(
  url: URL,
  options: { capabilities?: ClientCapabilities; sessionId?: string } = {},
): Promise<SdkV1Client> {
  const { capabilities = FULL_ABILITIES, sessionId } = options;
  const person = ada();
  const client = new Client({ name: 'sdk-v1', version: '1' }, { capabilities });
  const note = ({ method, params = {} }: { method: string; params?: object | undefined }) => {
    person.asked.push({ method, params: params as Record<string, unknown> });
    return params as Record<string, unknown>;
  };
  if (capabilities.elicitation !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, (request) => person.elicit(note(request)));
  }
  if (capabilities.sampling !== undefined) {
    client.setRequestHandler(CreateMessageRequestSchema, (request) => person.sample(note(request)));
  }
  if (capabilities.roots !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, (request) => {
      note(request);
      return person.roots();
    });
  }
  const sent: string[] = [];
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: (input, init) => {
      sent.push(init?.method ?? 'GET');
      return fetch(input, init);
    },
    ...(sessionId === undefined ? {} : { sessionId }),
    reconnectionOptions: {
      initialReconnectionDelay: 100,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 20,
    },
  });
  if (sessionId !== undefined) transport.setProtocolVersion('2025-11-25');
  await client.connect(transport);
  return { client, transport, person, sent };
}
