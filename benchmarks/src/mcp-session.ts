/** A session of protocol revision 2025-11-25, for requests by hand. */
export interface McpSession {
  readonly id: string;
  /** @throws {Error} the answer is an error or no JSON */
  request(method: string, params: object): Promise<Readonly<Record<string, unknown>>>;
}

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

const TIMEOUT_MS = 30_000;

/** @param url of the MCP endpoint */
export async function openSession(url: string): Promise<McpSession> {
  const response = await post(url, {}, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  const id = response.headers.get('mcp-session-id');
  if (id === null) throw new Error(`no session: ${response.status} ${await response.text()}`);
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
  return {
    id,
    request: async (method, params) => {
      const text = await (await post(url, headers, method, params)).text();
      const answer: unknown = JSON.parse(text);
      if (!isRecord(answer) || !isRecord(answer['result'])) throw new Error(`${method}: ${text}`);
      return answer['result'];
    },
  };
}

function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  method: string,
  params: object,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
