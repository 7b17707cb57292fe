import type { JsonRpcRequest, JsonRpcResponse } from '@longshore/protocol';
import type { JSONRPCMessage, MessageExtraInfo, Transport } from '@modelcontextprotocol/server';

/**
 * Lets one long-lived SDK `Server` answer the requests of all sessions. Each inbound request gets an
 * internal id of its own, for two clients may well use the same one; its answer goes back to whoever
 * dispatched it, under the client's id.
 */
export class MultiplexTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #pending = new Map<number, (response: JsonRpcResponse) => void>();
  #lastId = 0;
  /** Set while the SDK takes in a message, which it does synchronously. */
  #takingIn: number | null = null;

  start(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }

  /** Resolves with the answer, under the request's own id. */
  dispatch(request: JsonRpcRequest, extra: MessageExtraInfo): Promise<JsonRpcResponse> {
    const { promise, resolve } = withResolver<JsonRpcResponse>();
    this.#lastId += 1;
    const internalId = this.#lastId;
    this.#pending.set(internalId, (response) => resolve({ ...response, id: request.id }));
    this.#takingIn = internalId;
    this.onmessage?.({ ...request, id: internalId }, extra);
    this.#takingIn = null;
    return promise;
  }

  /** To be called with what the SDK reports: a message it does not take would else never be answered. */
  refused(error: Error): void {
    if (this.#takingIn === null) return;
    const id = this.#takingIn;
    const message = 'The request does not fit the JSON-RPC message schema of MCP';
    void this.send({
      jsonrpc: '2.0',
      id,
      error: { code: -32600, message, data: error.message.slice(0, 200) },
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (!('id' in message) || 'method' in message || typeof message.id !== 'number') {
      return Promise.resolve();
    }
    const resolve = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    resolve?.({ ...message, id: message.id });
    return Promise.resolve();
  }
}

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
