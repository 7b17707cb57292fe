import { type Store, storeOf } from './store.ts';

/** In which zone instants are written. */
export type Zone = 'utc' | 'local';

/** Kept by this browser; where it keeps nothing, for as long as the page is open. */
function kept<Word extends string>(name: string, words: readonly [Word, ...Word[]]): Store<Word> {
  const key = `longshore.${name}`;
  const store = storeOf<Word>(words.find((word) => word === read(key)) ?? words[0]);
  store.follow(() => {
    try {
      localStorage.setItem(key, store.get());
    } catch {
      // A browser that keeps nothing shows the page all the same.
    }
  });
  return store;
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export const zone = kept<Zone>('zone', ['local', 'utc']);
/** Keys without Ctrl or Alt do something. */
export const singleKeys = kept<'on' | 'off'>('single-keys', ['on', 'off']);
export const density = kept<'normal' | 'compact'>('density', ['normal', 'compact']);
