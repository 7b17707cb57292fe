import {
  type EventBus,
  RESOURCES_TOPIC,
  type Service,
  type Session,
  type Subscription,
} from '@longshore/core';
import {
  type ChangedList,
  type JsonRpcNotification,
  listChangedNotification,
  resourceUpdatedNotification,
} from '@longshore/protocol';
import type { SessionRegistry } from '../sessions/session-registry.ts';
import type { Catalogue } from './catalogue.ts';
import { SubscribedUris } from './subscribed-uris.ts';

/** Notifications that belong to no request, for one stream. */
export interface BroadcastSource {
  /** Calls `listener` with each notification, without `_meta`. @returns how to end it */
  subscribe(listener: (notification: JsonRpcNotification) => void): () => void;
}

/** What a modern stream asked for (2026-07-28 `subscriptions/listen`). */
export interface BroadcastFilter {
  readonly toolsListChanged: boolean;
  readonly promptsListChanged: boolean;
  readonly resourcesListChanged: boolean;
  readonly resourceSubscriptions: readonly string[];
}

type Broadcast =
  | { readonly kind: 'list'; readonly list: ChangedList }
  | { readonly kind: 'resource'; readonly uri: string };

/**
 * Changes that concern whoever listens: of the catalogue, which each API notices by itself, and of
 * resources, which tools announce over the bus. A stream carries them as its era has it: a session's
 * stream only while it has the session's turn (`StreamTurn`).
 */
export class Broadcasts implements Service {
  readonly #catalogue: Catalogue;
  readonly #bus: EventBus;
  readonly #sessions: SessionRegistry;
  readonly #listeners = new Set<(broadcast: Broadcast) => void>();
  #stopHearing: (() => void) | null = null;
  #subscription: Subscription | null = null;

  constructor(options: { catalogue: Catalogue; bus: EventBus; sessions: SessionRegistry }) {
    this.#catalogue = options.catalogue;
    this.#bus = options.bus;
    this.#sessions = options.sessions;
  }

  async start(): Promise<void> {
    this.#stopHearing ??= this.#catalogue.onChange((list) => this.#tell({ kind: 'list', list }));
    this.#subscription ??= await this.#bus.subscribe(RESOURCES_TOPIC, (event) => {
      if (event.kind === 'resource-updated') this.#tell({ kind: 'resource', uri: event.uri });
    });
  }

  async stop(): Promise<void> {
    this.#stopHearing?.();
    this.#stopHearing = null;
    await this.#subscription?.close();
    this.#subscription = null;
  }

  /**
   * Every change of a list, and updates of the resources the session has subscribed to by then.
   *
   * @param comesBack the client had a stream that broke: each of its resources may have changed meanwhile. That is
   *   told of all of them, for updates are messages and are kept nowhere
   */
  forSession(session: Session, { comesBack }: { comesBack: boolean }): BroadcastSource {
    return {
      subscribe: (listener) => {
        const uris = new SubscribedUris(session, this.#sessions);
        const end = this.#listen((broadcast) => {
          if (broadcast.kind === 'list') {
            listener(listChangedNotification(broadcast.list));
            return;
          }
          void uris.has(broadcast.uri).then((subscribed) => {
            if (subscribed) listener(resourceUpdatedNotification(broadcast.uri));
          });
        });
        if (comesBack) {
          void uris.all().then((missed) => {
            for (const uri of missed) listener(resourceUpdatedNotification(uri));
          });
        }
        return () => {
          end();
          uris.close();
        };
      },
    };
  }

  /** What a modern stream asked for, and nothing else. */
  forFilter(filter: BroadcastFilter): BroadcastSource {
    const lists: Readonly<Record<ChangedList, boolean>> = {
      tools: filter.toolsListChanged,
      prompts: filter.promptsListChanged,
      resources: filter.resourcesListChanged,
    };
    const uris = new Set(filter.resourceSubscriptions);
    return {
      subscribe: (listener) =>
        this.#listen((broadcast) => {
          if (broadcast.kind === 'list') {
            if (lists[broadcast.list]) listener(listChangedNotification(broadcast.list));
          } else if (uris.has(broadcast.uri)) {
            listener(resourceUpdatedNotification(broadcast.uri));
          }
        }),
    };
  }

  #listen(listener: (broadcast: Broadcast) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(broadcast: Broadcast): void {
    for (const listener of [...this.#listeners]) listener(broadcast);
  }
}
