import { useSyncExternalStore } from 'react';

/** A value outside of React that components read and follow. */
export interface Store<Value> {
  get(): Value;
  set(value: Value): void;
  /** @returns stops it */
  follow(listener: () => void): () => void;
}

export function storeOf<Value>(first: Value): Store<Value> {
  let current = first;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of listeners) listener();
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const useStore = <Value>(store: Store<Value>): Value =>
  useSyncExternalStore(store.follow, store.get);
