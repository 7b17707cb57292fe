import { type Json, recordIn } from '../state/json.ts';

/** The revision of MCP Apps that the card speaks. */
const REVISION = '2026-01-26';

/** A host that has not answered by then has no answer. */
const TIMEOUT_MS = 20_000;

/** What the host tells: of each kind at any time, and any number of times. */
export interface Listener {
  /** The arguments of the call that the card stands beside. */
  readonly input: (params: Json) => void;
  /** What the call was answered with. */
  readonly result: (result: Json) => void;
  readonly cancelled: () => void;
  /** Theme, size, mode: `context` has all of it by now. */
  readonly changed: () => void;
  /** The card is about to be taken away. */
  readonly teardown: () => void;
}

interface Pending {
  readonly resolve: (result: Json) => void;
  readonly reject: (error: Error) => void;
  readonly timer: number;
}

/**
 * The host around the card: JSON-RPC over `postMessage` (MCP Apps, SEP-1865). All that the card knows and does goes
 * through it; nothing else can be reached from its frame.
 */
export class Host {
  /** What is known of the surroundings: HostContext, with the changes that came. */
  context: Json = {};
  #capabilities: Json = {};
  readonly #pending = new Map<number, Pending>();
  #latest = 0;

  /** Whether the host offers something, such as `openLinks`. */
  offers(name: string): boolean {
    return recordIn(this.#capabilities, name) !== null;
  }

  /** Introduces the card. The host tells nothing before that is done. */
  async connect(listener: Listener): Promise<void> {
    addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
      // Of the sender only this much is known: hosts wrap windows, and have origins of their own.
      if (source !== window.parent || typeof data !== 'object' || data === null) return;
      const message = data as Json;
      if (message['jsonrpc'] === '2.0') this.#take(message, listener);
    });
    const answer = await this.request('ui/initialize', {
      protocolVersion: REVISION,
      appInfo: { name: 'longshore-job-card', version: '1' },
      appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    });
    this.#capabilities = recordIn(answer, 'hostCapabilities') ?? {};
    this.context = recordIn(answer, 'hostContext') ?? {};
    listener.changed();
    this.tell('ui/notifications/initialized', {});
  }

  /**
   * Calls a tool of the server.
   * @throws Error when the host refuses it, the server does, or nobody answers
   */
  call(name: string, args: Json): Promise<Json> {
    return this.request('tools/call', { name, arguments: args });
  }

  request(method: string, params: Json): Promise<Json> {
    this.#latest += 1;
    const id = this.#latest;
    return new Promise((resolve, reject) => {
      const timer = window.setTimeout(() => {
        this.#pending.delete(id);
        reject(new Error('The host does not answer'));
      }, TIMEOUT_MS);
      this.#pending.set(id, { resolve, reject, timer });
      this.#post({ id, method, params });
    });
  }

  tell(method: string, params: Json): void {
    this.#post({ method, params });
  }

  #take(message: Json, listener: Listener): void {
    const { id, method } = message;
    if (method === undefined) this.#settle(message);
    else if (id === undefined) this.#hear(method, recordIn(message, 'params') ?? {}, listener);
    else if (method === 'ui/resource-teardown') {
      listener.teardown();
      this.#post({ id, result: {} });
    } else if (method === 'ping') this.#post({ id, result: {} });
    else this.#post({ id, error: { code: -32601, message: 'Method not found' } });
  }

  #settle(message: Json): void {
    const pending = this.#pending.get(Number(message['id']));
    if (pending === undefined) return;
    this.#pending.delete(Number(message['id']));
    clearTimeout(pending.timer);
    const error = recordIn(message, 'error');
    if (error === null) pending.resolve(recordIn(message, 'result') ?? {});
    else pending.reject(new Error(String(error['message'] ?? 'The host refuses')));
  }

  #hear(method: unknown, params: Json, listener: Listener): void {
    switch (method) {
      case 'ui/notifications/tool-input':
        listener.input(recordIn(params, 'arguments') ?? {});
        break;
      case 'ui/notifications/tool-result':
        listener.result(params);
        break;
      case 'ui/notifications/tool-cancelled':
        listener.cancelled();
        break;
      case 'ui/notifications/host-context-changed':
        this.context = { ...this.context, ...params };
        listener.changed();
    }
  }

  #post(message: Json): void {
    // To whichever origin the host has: there are no secrets in what the card asks.
    window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }
}
