import type { Session } from '@longshore/core';
import { type SessionStreamPlace, speaksTasks } from '@longshore/protocol';
import type { Response } from 'express';
import { EventStream } from '../edge/event-stream.ts';
import type { KeepAlive } from '../edge/keep-alive.ts';
import { whenClosed } from '../edge/when-closed.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { SessionStream } from '../watch/session-stream.ts';
import { legacyAbilities } from './legacy-abilities.ts';

/** The GET streams that are open at this process. */
export class SessionStreams {
  readonly #context: ApiContext;
  readonly #keepAlive: KeepAlive;
  readonly #maxAgeMs: number | null;
  /** Parts with the client of each stream; resolves when the stream has given back what it held. */
  readonly #open = new Map<EventStream, Promise<void>>();

  /** @param options.maxAgeMs how old a connection may get, in milliseconds; null: as old as it likes */
  constructor(options: { context: ApiContext; keepAlive: KeepAlive; maxAgeMs: number | null }) {
    this.#context = options.context;
    this.#keepAlive = options.keepAlive;
    this.#maxAgeMs = options.maxAgeMs;
  }

  /** Sends the clients to other replicas. */
  async stop(): Promise<void> {
    for (const stream of this.#open.keys()) stream.part();
    await Promise.allSettled(this.#open.values());
  }

  /**
   * Opens a stream; resolves when it carries.
   *
   * @param resumed what the client came back with; null: a new stream
   * @throws {LongshoreError} DATABASE_UNAVAILABLE, QUEUE_UNAVAILABLE; then nothing was sent
   */
  async open(
    response: Response,
    session: Session,
    resumed: SessionStreamPlace | null,
  ): Promise<void> {
    const { log } = response.locals;
    let stream: EventStream | null = null;
    const end = (): void => stream?.end();
    const notifications = new SessionStream(this.#context, {
      session,
      abilities: legacyAbilities(session),
      broadcasts: this.#context.broadcasts.forSession(session, { comesBack: resumed !== null }),
      resumed,
      log,
      send: (message) => stream?.send(message, notifications.position.next()),
      supersede: end,
    });
    const closed = new Promise<void>((resolve, reject) => {
      whenClosed(response, () => {
        notifications.close().then(resolve, reject);
      });
    });
    closed.catch((error: unknown) => {
      log.warn({ err: error }, 'session stream did not close cleanly');
    });
    try {
      await notifications.prepare();
    } catch (error) {
      await notifications.close();
      throw error;
    }
    if (response.destroyed) return;
    const comesBack = speaksTasks(session.protocolVersion);
    stream = new EventStream(
      response,
      this.#keepAlive,
      comesBack ? notifications.position.next() : null,
    );
    this.#hold(stream, response, session, { closed, maxAgeMs: comesBack ? this.#maxAgeMs : null });
    await notifications.open();
  }

  #hold(
    stream: EventStream,
    response: Response,
    session: Session,
    { closed, maxAgeMs }: { closed: Promise<void>; maxAgeMs: number | null },
  ): void {
    const forgetEnd = this.#context.sessions.onEnd(session.id, () => stream.end());
    const ageTimer = maxAgeMs === null ? null : setTimeout(() => stream.part(), maxAgeMs).unref();
    this.#open.set(stream, closed);
    whenClosed(response, () => {
      if (ageTimer !== null) clearTimeout(ageTimer);
      forgetEnd();
    });
    void closed.catch(() => {}).then(() => this.#open.delete(stream));
  }
}
