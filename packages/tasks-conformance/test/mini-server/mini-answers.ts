import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';
import { MINI_TOOLS } from './mini-tools.ts';

export function initializeResult(version: string): JsonRpcMessage {
  const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  return {
    result: {
      protocolVersion: version,
      capabilities: { tools: {}, logging: {}, ...(version === '2025-11-25' ? { tasks } : {}) },
      serverInfo: { name: 'mini', version: '1.0.0' },
    },
  };
}

export function listTools(): JsonRpcMessage {
  return {
    result: {
      tools: MINI_TOOLS.map(({ name, support }) => ({
        name,
        description: 'For conformance checks.',
        inputSchema: { type: 'object' },
        execution: { taskSupport: support },
      })),
    },
  };
}
