import {
  Client,
  type ClientCapabilities,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { ada, FULL_ABILITIES, type Person } from './person.ts';

/** What `versionNegotiation` may be. */
export type Negotiation = 'legacy' | 'auto' | { readonly pin: string };

/** The official client 2.x as a host uses it, with somebody who answers. */
export interface ClientV2 {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  readonly person: Person;
}

export async function connectClientV2(
  url: URL,
  mode: Negotiation,
  options: {
    capabilities?: ClientCapabilities;
    listChanged?: NonNullable<ClientOptions['listChanged']>;
  } = {},
): Promise<ClientV2> {
  const { capabilities = FULL_ABILITIES, listChanged } = options;
  const person = ada();
  const client = new Client(
    { name: 'client-v2', version: '1' },
    {
      capabilities,
      versionNegotiation: { mode },
      ...(listChanged === undefined ? {} : { listChanged }),
    },
  );
  const note = ({ method, params = {} }: { method: string; params?: object | undefined }) => {
    person.asked.push({ method, params: params as Record<string, unknown> });
    return params as Record<string, unknown>;
  };
  if (capabilities.elicitation !== undefined) {
    client.setRequestHandler('elicitation/create', (request) => person.elicit(note(request)));
  }
  if (capabilities.sampling !== undefined) {
    client.setRequestHandler('sampling/createMessage', (request) => person.sample(note(request)));
  }
  if (capabilities.roots !== undefined) {
    client.setRequestHandler('roots/list', (request) => {
      note(request);
      return person.roots();
    });
  }
  const transport = new StreamableHTTPClientTransport(url);
  await client.connect(transport);
  return { client, transport, person };
}
