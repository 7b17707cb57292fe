import { type Store, storeOf } from '../state/store.ts';

/**
 * Of the page to its server. `opening`: not there yet; `paused`: someone wants to look in peace; `lost`: it was there, and is
 * tried again.
 */
export interface Connection {
  readonly state: 'opening' | 'live' | 'paused' | 'lost';
  /** When it got into this state, in ms since 1970. */
  readonly since: number;
}

export const connection: Store<Connection> = storeOf<Connection>({
  state: 'opening',
  since: Date.now(),
});

export function enter(state: Connection['state']): void {
  if (connection.get().state !== state) connection.set({ state, since: Date.now() });
}

export const isLive = (): boolean => connection.get().state === 'live';
