import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';
import type { Behaviour, Switch } from '../faults/fault.ts';
import { initializeResult, listTools } from './mini-answers.ts';
import { MiniMethods } from './mini-methods.ts';
import { MiniResults } from './mini-results.ts';
import { MiniSession } from './mini-session.ts';

type Params = Readonly<Record<string, unknown>>;

const METHOD_NOT_FOUND: JsonRpcMessage = { error: { code: -32601, message: 'Method not found' } };

/**
 * A server that does what 2025-11-25 asks of core tasks, as small as it can be, and does one thing wrong
 * when it is given a fault. Requestors are told apart by their Authorization header, else by session.
 */
export class MiniServer {
  readonly #behaviour: Behaviour | null;
  readonly #server: Server;
  readonly #sessions = new Map<string, MiniSession>();
  readonly #methods = new MiniMethods();
  readonly #results = new MiniResults(this.#methods);

  private constructor(behaviour: Behaviour | null) {
    this.#behaviour = behaviour;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(500).end(String(error));
        else response.destroy();
      });
    });
    // A kept connection may be closed the moment it is used again; these tests are about other things.
    this.#server.maxRequestsPerSocket = 1;
  }

  static async start(behaviour: Behaviour | null = null): Promise<MiniServer> {
    const server = new MiniServer(behaviour);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  async stop(): Promise<void> {
    for (const task of this.#methods.tasks) task.abort.abort();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = request.method === 'POST' ? JSON.parse(await text(request)) : null;
    if (body?.method === 'initialize') return this.#initialize(request, response, body);
    const { 'mcp-session-id': id, 'mcp-protocol-version': version } = request.headers;
    const session = this.#sessions.get(String(id ?? version));
    if (session === undefined) return void response.writeHead(404).end();
    if (request.method === 'POST') return this.#post(session, response, body);
    if (request.method === 'GET') {
      return this.#get(session, response, request.headers['last-event-id']);
    }
    this.#sessions.delete(session.id);
    session.end();
    response.writeHead(204).end();
  }

  #initialize(request: IncomingMessage, response: ServerResponse, body: JsonRpcMessage): void {
    const { capabilities = {}, protocolVersion } = body.params ?? {};
    const session = new MiniSession({
      principal: request.headers.authorization ?? null,
      version: protocolVersion === '2025-06-18' ? '2025-06-18' : '2025-11-25',
      capabilities: capabilities as Params,
      behaviour: this.#behaviour,
    });
    if (session.isOn('no sessions')) {
      if (!this.#sessions.has(session.version)) this.#sessions.set(session.version, session);
    } else {
      this.#sessions.set(session.id, session);
      response.setHeader('mcp-session-id', session.id);
    }
    this.#answerJson(response, body, initializeResult(session.version), session);
  }

  async #post(session: MiniSession, response: ServerResponse, body: JsonRpcMessage) {
    if (body.method === undefined) return this.#takeAnswer(session, response, body);
    if (body.id === undefined) return this.#takeNotification(session, response, body);
    const params = body.params ?? {};
    if (body.method === 'tasks/result') {
      const answer = (message: JsonRpcMessage): JsonRpcMessage => this.#alter(message, body);
      return this.#results.answer(session, { response, body, answer });
    }
    const answer = await this.#answerTo(session, body.method, params, body.id);
    if (body.method === 'tasks/get' && session.isOn('stream for tasks/get')) {
      const stream = session.newStream('post');
      stream.open(response);
      stream.send({ ...answer, id: body.id });
      return stream.end();
    }
    return this.#answerJson(response, body, answer, session);
  }

  #answerTo(
    session: MiniSession,
    method: string,
    params: Params,
    id: string | number,
  ): Promise<JsonRpcMessage> | JsonRpcMessage {
    switch (method) {
      case 'ping':
      case 'logging/setLevel':
        return { result: {} };
      case 'tools/list':
        return listTools();
      case 'tools/call':
        return this.#methods.call(session, params, id);
      case 'tasks/get':
        return this.#methods.operate(session, 'get', params);
      case 'tasks/cancel':
        return this.#methods.operate(session, 'cancel', params);
      case 'tasks/list':
        return this.#methods.list(session, params);
      default:
        return METHOD_NOT_FOUND;
    }
  }

  #get(session: MiniSession, response: ServerResponse, lastEventId: string | string[] | undefined) {
    const resumed = typeof lastEventId === 'string' ? session.after(lastEventId) : null;
    if (resumed !== null) {
      resumed.stream.open(response, { replay: resumed.events });
    } else if (session.isOn('no GET streams')) {
      response.writeHead(405).end();
    } else {
      session.newStream('get').open(response);
    }
    for (const task of session.tasks) task.flush();
  }

  #takeAnswer(session: MiniSession, response: ServerResponse, body: JsonRpcMessage): void {
    const question = this.#methods.runner.pending.get(body.id ?? '');
    const isOwn = question?.session === session || session.isOn('anybody may answer');
    const isIgnored = question !== undefined && session.isOn(ignoring(question.method, body));
    if (question !== undefined && isOwn && !isIgnored) {
      this.#methods.runner.pending.delete(body.id ?? '');
      question.answer(body);
    }
    const isUnknown = question === undefined;
    response.writeHead(isUnknown && session.isOn('unknown responses crash') ? 500 : 202).end();
  }

  #takeNotification(session: MiniSession, response: ServerResponse, body: JsonRpcMessage): void {
    const { requestId } = (body.params ?? {}) as { requestId?: string | number };
    if (body.method === 'notifications/cancelled') {
      if (requestId === undefined && session.isOn('malformed withdrawals end the session')) {
        this.#sessions.delete(session.id);
      }
      session.withdrawals.get(requestId ?? '')?.();
      const made = session.tasks.find((task) => task.requestId === requestId);
      if (session.isOn('withdrawing the call cancels the task')) made?.move('cancelled');
    }
    const talks = session.isOn('notifications are answered');
    response.writeHead(talks ? 200 : 202).end(talks ? '{}' : undefined);
  }

  #answerJson(
    response: ServerResponse,
    body: JsonRpcMessage,
    answer: JsonRpcMessage,
    session: MiniSession,
  ): void {
    const isOdd = body.method === 'ping' && session.isOn('ping as plain text');
    const altered = this.#alter({ ...answer, id: body.id ?? 0 }, body);
    response
      .writeHead(200, { 'content-type': isOdd ? 'text/plain' : 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', ...altered }));
  }

  #alter(answer: JsonRpcMessage, body: JsonRpcMessage): JsonRpcMessage {
    const params = body.params ?? {};
    const task = this.#methods.tasks.find(({ id }) => id === params['taskId']) ?? null;
    const call = { method: body.method ?? '', params, task };
    return this.#behaviour?.answer?.(answer, call) ?? answer;
  }
}

/** The fault with which such an answer is lost. */
function ignoring(method: string, { result, error }: JsonRpcMessage): Switch {
  const isRefusal = error !== undefined || ['decline', 'cancel'].includes(`${result?.['action']}`);
  if (!isRefusal) return 'accepted answers are ignored';
  return method === 'elicitation/create' ? 'refusals are ignored' : 'rejections are ignored';
}
