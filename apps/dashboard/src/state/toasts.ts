import { storeOf } from './store.ts';

export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

export const toasts = storeOf<readonly Toast[]>([]);

const SHOWN_MS = 6_000;
let latest = 0;

/** Tells of something that was done; what failed stays until it is closed. */
export function say(kind: Toast['kind'], text: string): void {
  latest += 1;
  const id = latest;
  toasts.set([...toasts.get().slice(-4), { id, kind, text }]);
  if (kind === 'done') setTimeout(() => unsay(id), SHOWN_MS);
}

export function unsay(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}
