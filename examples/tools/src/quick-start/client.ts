import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url = 'http://127.0.0.1:3000/mcp'] = process.argv.slice(2);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const client = new Client({ name: 'quick-start', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

const { tools } = await client.listTools();
say(`tools: ${tools.map(({ name }) => name).join(', ')}`);

const result = await client.callTool(
  { name: 'hash_texts', arguments: { texts: ['ahoy', 'land in sight', ''] } },
  { onprogress: ({ progress, total }) => say(`${progress} of ${total}`) },
);
say(`result: ${JSON.stringify(result.structuredContent)}`);
await client.close();
