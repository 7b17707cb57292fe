import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import { type RoundRobinProxy, startRoundRobinProxy } from '@longshore/testing/network';
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import {
  type AuthorizationServer,
  secretOf,
  startAuthorizationServer,
} from './support/oidc-provider.ts';
import { searchEverything } from './support/search-everything.ts';
import { type Stack, startStack } from './support/stack.ts';

const EVERYTHING = 'tasks:read tasks:write tools:*';

describe('OAuth, with a real authorization server', () => {
  let authorization: AuthorizationServer;
  let proxy: RoundRobinProxy;
  let stack: Stack;
  let origin: string;

  beforeAll(async () => {
    // Known before the API is there, for its tokens are for this place.
    proxy = await startRoundRobinProxy(['http://127.0.0.1:1/mcp']);
    origin = new URL(proxy.url).origin;
    authorization = await startAuthorizationServer(proxy.url);
    stack = await startStack({
      mode: 'postgres',
      environment: { AUTH: 'oauth', OAUTH_ISSUER: authorization.issuer, PUBLIC_URL: origin },
    });
    proxy.retarget(stack.urls);
    const client = await modern('ada', EVERYTHING);
    await waitFor(async () => JSON.stringify(await client.result('tools/list')).includes('echo'), {
      what: 'the catalogue is there',
    });
  });
  afterAll(async () => {
    await stack.stop();
    await authorization.process.kill();
    await proxy.close();
  });

  const modern = async (client: 'ada' | 'bob', scope: string) =>
    new ModernClient(stack.urls)
      .withTasks()
      .withAuthorization(`Bearer ${await authorization.token(client, scope)}`);
  const legacy = async (client: 'ada' | 'bob', scope: string) => {
    const token = await authorization.token(client, scope);
    const wire = new WireClient(...stack.urls).withAuthorization(`Bearer ${token}`);
    await wire.initialize();
    return wire;
  };

  it('leads a client without a token to the authorization server', async () => {
    for (const request of [
      { method: 'POST', body: '{}' },
      { method: 'GET' },
      { method: 'DELETE' },
    ]) {
      const refusal = await fetch(`${origin}/mcp`, request);
      expect(refusal.status).toBe(401);
      const challenge = refusal.headers.get('www-authenticate') ?? '';
      expect(challenge).toBe(
        `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="tasks:read tasks:write tools:*"`,
      );
    }
    for (const place of ['', '/mcp']) {
      const url = `${origin}/.well-known/oauth-protected-resource${place}`;
      const metadata: unknown = await (await fetch(url)).json();
      expect(metadata).toMatchObject({
        resource: `${origin}/mcp`,
        authorization_servers: [authorization.issuer],
        scopes_supported: ['tasks:read', 'tasks:write', 'tools:*'],
        bearer_methods_supported: ['header'],
      });
    }
  });

  it('serves both eras to one principal, and nothing of it to another', async () => {
    const ada = await modern('ada', EVERYTHING);
    const taskId = await ada.startTask('echo', { text: 'mine' });
    const later = await legacy('ada', EVERYTHING);
    expect(await later.result('tasks/result', { taskId })).toMatchObject({
      structuredContent: { text: 'mine' },
    });
    const bob = await modern('bob', EVERYTHING);
    expect(await bob.error('tasks/get', { taskId })).toMatchObject({
      code: -32602,
      message: 'Task not found',
    });
    const thief = later.impostor(`Bearer ${await authorization.token('bob', EVERYTHING)}`);
    expect((await thief.request('tools/list')).status).toBe(404);
  });

  it('keeps tokens out of logs, rows and jobs', async () => {
    const tokens = [
      await authorization.token('ada', EVERYTHING),
      await authorization.token('ada', EVERYTHING, 'https://other.test/mcp'),
    ];
    for (const token of tokens) {
      const client = new ModernClient(stack.urls).withAuthorization(`Bearer ${token}`);
      await client.request('tools/call', { name: 'echo', arguments: { text: 'found-me' } });
      await client.request('tasks/get', { taskId: 'nonsense' });
    }
    const parts = tokens.flatMap((token) => [token.slice(-40), ...token.split('.').slice(1)]);
    expect(await searchEverything(stack, [...parts, 'Bearer ey'])).toEqual([]);
    expect((await searchEverything(stack, ['found-me'])).length).toBeGreaterThan(0);
  });

  it('takes no token that is for another resource', async () => {
    const token = await authorization.token('ada', EVERYTHING, 'https://other.test/mcp');
    const client = new ModernClient(stack.urls).withAuthorization(`Bearer ${token}`);
    const response = await client.post(client.build('tools/list'));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", /);
  });

  it('says which scope is missing, and where to get it', async () => {
    const wire = await legacy('ada', 'tools:echo');
    const { tools } = await wire.result('tools/list');
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(['echo']);
    const refusal = await wire.post({ jsonrpc: '2.0', id: 1, method: 'tasks/list' });
    expect(refusal.status).toBe(403);
    expect(refusal.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="tasks:read", error_description="The request needs a scope that the credentials lack"`,
    );
  });

  it.each(['legacy', 'auto'] as const)(
    'is where the official client finds its way, %s',
    async (mode) => {
      const authProvider = new ClientCredentialsProvider({
        clientId: 'ada',
        clientSecret: secretOf('ada'),
        scope: EVERYTHING,
        expectedIssuer: authorization.issuer,
      });
      const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(proxy.url), { authProvider }));
      const result = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
      expect(result.structuredContent).toEqual({ text: 'hello' });
      await client.close();
    },
  );
});
