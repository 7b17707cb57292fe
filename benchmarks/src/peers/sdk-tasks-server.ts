// The official SDK 1.x with its tasks in memory, answers in JSON: a server for each session, one store for all of them.
import { randomUUID } from 'node:crypto';
import { z } from '@longshore/plugin';
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';

const taskStore = new InMemoryTaskStore();
const taskMessageQueue = new InMemoryTaskMessageQueue();
const sessions = new Map<string, StreamableHTTPServerTransport>();

function newServer(): McpServer {
  const server = new McpServer(
    { name: 'sdk-tasks', version: '1' },
    {
      capabilities: { tasks: { requests: { tools: { call: {} } } } },
      taskStore,
      taskMessageQueue,
    },
  );
  server.experimental.tasks.registerToolTask(
    'noop',
    {
      description: 'Does nothing.',
      inputSchema: { text: z.string(), n: z.int().optional() },
      execution: { taskSupport: 'required' },
    },
    {
      createTask: async (_args, extra) => {
        const task = await extra.taskStore.createTask({ ttl: extra.taskRequestedTtl ?? null });
        const result = { content: [{ type: 'text', text: 'done' }] };
        void extra.taskStore.storeTaskResult(task.taskId, 'completed', result);
        return { task };
      },
      getTask: (_args, extra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: async (_args, extra) => {
        const { content } = await extra.taskStore.getTaskResult(extra.taskId);
        return { content: content as [] };
      },
    },
  );
  return server;
}

async function newSession(): Promise<StreamableHTTPServerTransport> {
  const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await newServer().connect(transport);
  return transport;
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(express.json());
app.post('/mcp', async (request, response) => {
  const transport = sessions.get(request.get('mcp-session-id') ?? '') ?? (await newSession());
  await transport.handleRequest(request, response, request.body);
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.send?.({ url: `http://127.0.0.1:${port}/mcp` });
});
process.once('SIGTERM', () => process.exit(0));
