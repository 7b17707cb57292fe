import { randomUUID } from 'node:crypto';
import type {
  AnnouncedPrompt,
  AnnouncedResource,
  AnnouncedTool,
  AuthBindingId,
  BusEvent,
  BusMessage,
  CatalogueSnapshot,
  CatalogueStore,
  EventBus,
  PrincipalId,
  Session,
  SessionId,
  SessionStore,
} from '@longshore/core';

const by = { plugin: 'test', pluginVersion: '1.0.0' };
const policy = { queue: 'default', timeoutMs: 5_000 };

export function tool(name: string, extra: Partial<AnnouncedTool> = {}): AnnouncedTool {
  return {
    name,
    title: null,
    description: `The tool ${name}.`,
    inputSchema: { type: 'object' },
    outputSchema: null,
    annotations: null,
    taskSupport: 'optional',
    asksFirst: false,
    requires: [],
    immediateResponse: null,
    policy: {
      ...policy,
      maxAttempts: 1,
      backoff: { baseMs: 1, factor: 1, maxMs: 1 },
      deadlineMs: null,
      concurrency: null,
      rate: null,
    },
    version: null,
    deprecated: null,
    cost: null,
    card: null,
    fingerprint: `of ${name}`,
    ...by,
    ...extra,
  };
}

export function prompt(name: string, extra: Partial<AnnouncedPrompt> = {}): AnnouncedPrompt {
  return {
    name,
    title: null,
    description: null,
    arguments: [],
    completes: [],
    policy,
    ...by,
    ...extra,
  };
}

/** @param address a URI, or a template when there is a brace in it */
export function resource(
  address: string,
  extra: Partial<AnnouncedResource> = {},
): AnnouncedResource {
  return {
    name: address,
    title: null,
    description: null,
    address: address.includes('{')
      ? { kind: 'template', template: address }
      : { kind: 'uri', uri: address },
    mimeType: null,
    annotations: null,
    completes: [],
    policy,
    ...by,
    ...extra,
  };
}

/** What is announced is whatever the test has set. */
export class FakeCatalogueStore implements CatalogueStore {
  snapshot: CatalogueSnapshot = { tools: [], prompts: [], resources: [] };
  failing = false;
  loads = 0;

  async load(): Promise<CatalogueSnapshot> {
    this.loads += 1;
    await Promise.resolve();
    if (this.failing) throw new Error('no database');
    // As fresh from the database: equal, and never the same objects.
    return structuredClone(this.snapshot);
  }

  announce = unused;
  beat = unused;
  retire = unused;
  versionToRun = unused;
  differing = unused;
  presence = unused;
  deleteGone = unused;
}

interface HeldSubscription {
  resolve(): void;
  reject(error: Error): void;
}

/** Delivers at once and in order; the test can make it lose its connection. */
export class FakeBus implements EventBus {
  readonly #listeners = new Map<string, Set<(event: BusEvent) => void>>();
  #held: HeldSubscription[] | null = null;

  start = done;
  stop = done;

  /** How many listen, to whatever. */
  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }

  publish(topic: string, message: BusMessage): Promise<void> {
    for (const listener of [...(this.#listeners.get(topic) ?? [])]) listener(message);
    return Promise.resolve();
  }

  async subscribe(topic: string, listener: (event: BusEvent) => void) {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    const close = () => {
      listeners.delete(listener);
      return Promise.resolve();
    };
    const held = this.#held;
    if (held === null) return { close };
    try {
      await new Promise<void>((resolve, reject) => held.push({ resolve, reject }));
    } catch (error) {
      await close();
      throw error;
    }
    return { close };
  }

  /** From now on each subscription waits to be settled. @returns those that wait, as they come */
  holdSubscriptions(): readonly HeldSubscription[] {
    const held: HeldSubscription[] = [];
    this.#held = held;
    return held;
  }

  resync(): void {
    for (const listeners of this.#listeners.values()) {
      for (const listener of [...listeners]) listener({ kind: 'resync' });
    }
  }
}

/** One table of sessions, as all replicas see it. */
export class FakeSessionStore implements SessionStore {
  readonly sessions = new Map<SessionId, Session>();
  finds = 0;
  readonly touched = new Set<SessionId>();
  /** Holds the answers of `find` back until it resolves. */
  gate: Promise<void> | null = null;

  add(): Session {
    const session: Session = {
      id: randomUUID() as string as SessionId,
      principalId: randomUUID() as string as PrincipalId,
      authBindingId: randomUUID() as string as AuthBindingId,
      protocolVersion: '2025-11-25',
      clientInfo: { name: 'test', version: '1' },
      clientCapabilities: {},
      logLevel: null,
      resourceSubscriptions: [],
    };
    this.sessions.set(session.id, session);
    return session;
  }

  async find(id: SessionId, owner: PrincipalId | null): Promise<Session | null> {
    this.finds += 1;
    const found = this.sessions.get(id) ?? null;
    await this.gate;
    return owner === null || found?.principalId === owner ? found : null;
  }

  setLogLevel(id: SessionId, logLevel: Session['logLevel']): Promise<boolean> {
    return this.#update(id, { logLevel });
  }

  subscribe(id: SessionId, uri: string, limit: number): Promise<boolean> {
    const uris = this.sessions.get(id)?.resourceSubscriptions ?? [];
    if (uris.length >= limit) return Promise.resolve(false);
    return this.#update(id, { resourceSubscriptions: [...uris, uri] });
  }

  async unsubscribe(id: SessionId, uri: string): Promise<void> {
    const uris = this.sessions.get(id)?.resourceSubscriptions ?? [];
    await this.#update(id, { resourceSubscriptions: uris.filter((known) => known !== uri) });
  }

  end(id: SessionId): Promise<boolean> {
    return Promise.resolve(this.sessions.delete(id));
  }

  touch(ids: readonly SessionId[]): Promise<void> {
    for (const id of ids) this.touched.add(id);
    return Promise.resolve();
  }

  create = unused;
  makeRoom = unused;
  deleteIdle = unused;

  #update(id: SessionId, change: Partial<Session>): Promise<boolean> {
    const session = this.sessions.get(id);
    if (session !== undefined) this.sessions.set(id, { ...session, ...change });
    return Promise.resolve(session !== undefined);
  }
}

function done(): Promise<void> {
  return Promise.resolve();
}

function unused(): never {
  throw new Error('not part of this test');
}
