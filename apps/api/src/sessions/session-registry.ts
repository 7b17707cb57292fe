import {
  type EventBus,
  type Logger,
  type LogLevel,
  LongshoreError,
  type NewSession,
  type PrincipalId,
  SESSIONS_TOPIC,
  type Service,
  type Session,
  type SessionId,
  type SessionStore,
  type Subscription,
} from '@longshore/core';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { CountedLimit } from '../edge/limits/counted-limit.ts';

/** How long a look-up is trusted, should the message that the session ended be lost. */
const TRUST_MS = 5_000;
const MAX_CACHED = 20_000;
/** 64 MiB: most of what a session may need is the URIs it has subscribed to. */
const MAX_CACHED_BYTES = 67_108_864;
const SESSION_BYTES = 1_024;
const MAX_SUBSCRIPTIONS = 1_000;
/** How often sessions are noted to be in use of which something is held open. */
const TOUCH_INTERVAL_MS = 60_000;
const MAX_TOUCHED = 1_000;

/** Sessions that are principals of their own have one limit together. */
const OWNERLESS = 'ownerless';

const Uuid = z.uuid();

/** Sessions by id, cached for moments so that a busy client costs no query per request. */
export class SessionRegistry implements Service {
  readonly #store: SessionStore;
  readonly #bus: EventBus;
  readonly #cache: LRUCache<SessionId, Session>;
  /** Look-ups under way: concurrent requests share one, as long as nothing changed meanwhile. */
  readonly #reading = new Map<SessionId, Reading>();
  readonly #endListeners = new Map<SessionId, Set<() => void>>();
  readonly #changeListeners = new Map<SessionId, Set<() => void>>();
  /** How many requests and streams of each session are open at this process. */
  readonly #held = new Map<SessionId, number>();
  readonly #rooms: CountedLimit<PrincipalId | typeof OWNERLESS>;
  readonly #log: Logger;
  #touchTimer: NodeJS.Timeout | null = null;
  #subscription: Subscription | null = null;

  constructor(options: { store: SessionStore; bus: EventBus; log: Logger }) {
    const { store } = options;
    this.#store = store;
    this.#log = options.log;
    this.#bus = options.bus;
    this.#cache = new LRUCache({
      max: MAX_CACHED,
      ttl: TRUST_MS,
      maxSize: MAX_CACHED_BYTES,
      sizeCalculation: bytesOf,
    });
    this.#rooms = new CountedLimit({
      count: (owner, limit) => store.makeRoom(owner === OWNERLESS ? null : owner, limit),
      refusal: tooMany,
    });
  }

  async start(): Promise<void> {
    this.#subscription ??= await this.#bus.subscribe(SESSIONS_TOPIC, (event) => {
      if (event.kind === 'session-closed') this.#forget(event.sessionId);
      else if (event.kind === 'session-changed') this.#reread(event.sessionId);
      else if (event.kind === 'resync') this.#rereadAll();
    });
    this.#touchTimer ??= setInterval(() => void this.#touchHeld(), TOUCH_INTERVAL_MS).unref();
  }

  async stop(): Promise<void> {
    if (this.#touchTimer !== null) clearInterval(this.#touchTimer);
    this.#touchTimer = null;
    await this.#subscription?.close();
    this.#subscription = null;
  }

  /**
   * Stores a new session. Where its owner has as many as it may, those go that were idle for longest: clients
   * that open one session per call and end none go on working.
   *
   * @param limit 0: none
   * @throws {LongshoreError} TOO_MANY_SESSIONS when all of them are in use
   */
  async create(session: NewSession, limit: number): Promise<Session> {
    const created = await this.#rooms.take(session.identity?.principalId ?? OWNERLESS, limit);
    try {
      const stored = await this.#store.create(session);
      this.#cache.set(stored.id, stored);
      return stored;
    } finally {
      created();
    }
  }

  /** To be called with what is held open for a session, which is in use as long. @returns to be called at its end */
  hold(id: SessionId): () => void {
    this.#held.set(id, (this.#held.get(id) ?? 0) + 1);
    return () => {
      const left = (this.#held.get(id) ?? 1) - 1;
      if (left > 0) this.#held.set(id, left);
      else this.#held.delete(id);
    };
  }

  /** The session when `get` would find it in the cache, so that the common case waits for nothing. */
  cached(header: string, owner: PrincipalId | null): Session | null {
    const session = this.#cache.get(header as SessionId) ?? null;
    return session !== null && isOf(session, owner) ? session : null;
  }

  /**
   * A session of another principal is looked for like one that never was: the same statement, each time.
   *
   * @param header value of MCP-Session-Id, from the client
   * @param owner whose session it must be; null: anybody's
   * @throws {LongshoreError} SESSION_NOT_FOUND (404: the client starts a new session)
   */
  async get(header: string, owner: PrincipalId | null): Promise<Session> {
    const isId = Uuid.safeParse(header).success;
    const session = isId ? await this.#find(header as SessionId, owner) : null;
    if (session === null) throw notFound();
    return session;
  }

  async end(session: Session): Promise<void> {
    await this.#store.end(session.id);
    this.#forget(session.id);
    await this.#bus.publish(SESSIONS_TOPIC, { kind: 'session-closed', sessionId: session.id });
  }

  /** @throws {LongshoreError} SESSION_NOT_FOUND */
  async setLogLevel(session: Session, level: LogLevel): Promise<void> {
    if (!(await this.#store.setLogLevel(session.id, level))) throw notFound();
    await this.#changed(session.id);
  }

  /**
   * Notes that the session wants to hear of changes of a resource.
   * @throws {LongshoreError} INVALID_PARAMS when it has subscribed to too many
   */
  async subscribe(session: Session, uri: string): Promise<void> {
    if (!(await this.#store.subscribe(session.id, uri, MAX_SUBSCRIPTIONS))) {
      throw new LongshoreError(
        'INVALID_PARAMS',
        `A session has ${MAX_SUBSCRIPTIONS} resource subscriptions at most: unsubscribe from some`,
      );
    }
    await this.#changed(session.id);
  }

  async unsubscribe(session: Session, uri: string): Promise<void> {
    await this.#store.unsubscribe(session.id, uri);
    await this.#changed(session.id);
  }

  /** Calls `listener` when the session ends. @returns how to take it back */
  onEnd(id: SessionId, listener: () => void): () => void {
    return listen(this.#endListeners, id, listener);
  }

  /** Calls `listener` when what `get` gives may have changed. @returns how to take it back */
  onChange(id: SessionId, listener: () => void): () => void {
    return listen(this.#changeListeners, id, listener);
  }

  async #changed(id: SessionId): Promise<void> {
    this.#reread(id);
    await this.#bus.publish(SESSIONS_TOPIC, { kind: 'session-changed', sessionId: id });
  }

  async #find(id: SessionId, owner: PrincipalId | null): Promise<Session | null> {
    const cached = this.cached(id, owner);
    if (cached !== null) return cached;
    const known = this.#reading.get(id);
    if (known?.owner === owner) return known.session;
    const reading: Reading = { owner, session: this.#store.find(id, owner) };
    this.#reading.set(id, reading);
    try {
      const session = await reading.session;
      // What was read before a change is for those who asked before it.
      const current = this.#reading.get(id) === reading;
      if (current && session !== null) this.#cache.set(id, session);
      return session;
    } finally {
      if (this.#reading.get(id) === reading) this.#reading.delete(id);
    }
  }

  /** Never rejects: the next round makes up for it, long before a session counts as idle. */
  async #touchHeld(): Promise<void> {
    const ids = [...this.#held.keys()];
    try {
      for (let from = 0; from < ids.length; from += MAX_TOUCHED) {
        await this.#store.touch(ids.slice(from, from + MAX_TOUCHED));
      }
    } catch (err) {
      this.#log.warn({ err }, 'sessions with open streams were not noted to be in use');
    }
  }

  #reread(id: SessionId): void {
    this.#drop(id);
    for (const listener of [...(this.#changeListeners.get(id) ?? [])]) listener();
  }

  #rereadAll(): void {
    this.#cache.clear();
    this.#reading.clear();
    for (const id of [...this.#changeListeners.keys()]) this.#reread(id);
  }

  #drop(id: SessionId): void {
    this.#cache.delete(id);
    this.#reading.delete(id);
  }

  #forget(id: SessionId): void {
    this.#drop(id);
    for (const listener of [...(this.#endListeners.get(id) ?? [])]) listener();
  }
}

interface Reading {
  readonly owner: PrincipalId | null;
  readonly session: Promise<Session | null>;
}

function isOf(session: Session, owner: PrincipalId | null): boolean {
  return owner === null || session.principalId === owner;
}

type Listeners = Map<SessionId, Set<() => void>>;

function listen(all: Listeners, id: SessionId, listener: () => void): () => void {
  const listeners = all.get(id) ?? new Set();
  all.set(id, listeners.add(listener));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) all.delete(id);
  };
}

/** Roughly: the rest of a session is of bounded size. */
function bytesOf({ resourceSubscriptions }: Session): number {
  return resourceSubscriptions.reduce((sum, uri) => sum + 2 * uri.length, SESSION_BYTES);
}

function tooMany(limit: number, retryAfterMs: number): LongshoreError {
  return new LongshoreError(
    'TOO_MANY_SESSIONS',
    `${limit} sessions are in use, the limit: end those you need no more with DELETE, or try again`,
    { details: { retryAfterMs } },
  );
}

function notFound(): LongshoreError {
  return new LongshoreError('SESSION_NOT_FOUND', 'Session not found: initialize a new one');
}
