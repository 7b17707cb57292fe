import type { OperatorEvent } from '@longshore/operator';
import { API, client, isProblem } from './client.ts';
import { connection, enter } from './connection.ts';
import { patchTasks } from './live-tasks.ts';
import { createdSince, forgetLogin, ME, queryClient, readAgain } from './queries.ts';

/*
 * Over HTTP/1.1 a browser has six connections to a host, for all its tabs together: with a stream each, the seventh tab
 * would load nothing. So of all tabs that follow the same, the one that holds the lock has the stream, and tells the others
 * over a channel. When it is closed, hidden or paused, the next one gets the lock. Pages that came without TLS from another
 * machine have no locks: each of their tabs has a stream.
 */

const FLEET = ['workers', 'tools', 'queues', 'keys', 'schedules'];
const TRY_AGAIN_MS = 2_000;

/** What the stream says, and how it is. */
type Word = OperatorEvent | { readonly kind: 'live' | 'lost' };
/** Between tabs; `who` is asked by one that joins, and wants to hear how it is. */
type Message = Word | { readonly kind: 'who' };

let leave: (() => void) | null = null;

/** Follows what happens, until `closeLive`. What was missed before is read first. */
export function openLive(): void {
  if (leave !== null || connection.get().state === 'paused') return;
  const me = queryClient.getQueryData(ME.queryKey);
  // Others may be logged in in other tabs, from before this login.
  const name = `longshore events ${me?.principal.id} ${me?.seesAll}`;
  const channel = window.isSecureContext ? new BroadcastChannel(name) : null;
  const left = new AbortController();
  let isLeader = false;
  let hasHeard = false;
  const tell = (word: Word): void => {
    hear(word);
    channel?.postMessage(word);
  };
  const lead = (): Promise<void> => {
    isLeader = true;
    return readStream(left.signal, tell);
  };
  leave = () => {
    left.abort();
    channel?.close();
  };
  if (channel === null) {
    void lead();
    return;
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind !== 'who') {
      if (!hasHeard) readAllAgain();
      hasHeard = true;
      hear(data);
    } else if (isLeader) {
      const { state } = connection.get();
      if (state === 'live' || state === 'lost') channel.postMessage({ kind: state });
    }
  };
  channel.postMessage({ kind: 'who' });
  // Refused when one has left before one's turn came.
  navigator.locks.request(name, { signal: left.signal }, lead).catch(() => undefined);
}

export function closeLive(): void {
  leave?.();
  leave = null;
}

export function toggleLive(): void {
  if (connection.get().state === 'paused') {
    enter('opening');
    openLive();
    readAllAgain();
  } else {
    closeLive();
    enter('paused');
  }
}

/** Reads everything that is shown, and forgets what was not. */
export function readAllAgain(): void {
  createdSince.set(0);
  void readAgain();
}

/** Opens the stream of events, again whenever it breaks, and tells what it says. @returns when one has left */
function readStream(left: AbortSignal, tell: (word: Word) => void): Promise<void> {
  if (left.aborted) return Promise.resolve();
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = (): void => {
    source = new EventSource(`${API}/events`);
    source.onopen = () => tell({ kind: 'live' });
    source.onmessage = ({ data }) => tell(JSON.parse(String(data)) as OperatorEvent);
    source.onerror = () => {
      // The browser's own pause before it tries again differs by browser, and some answers make it stop for good.
      source?.close();
      tell({ kind: 'lost' });
      timer = setTimeout(() => void tryAgain(), TRY_AGAIN_MS);
    };
  };
  const tryAgain = async (): Promise<void> => {
    try {
      await client('GET /me');
      if (!left.aborted) open();
    } catch (error) {
      if (isProblem(error, 401)) forgetLogin();
      else if (!left.aborted) timer = setTimeout(() => void tryAgain(), TRY_AGAIN_MS);
    }
  };
  open();
  return new Promise((ended) => {
    left.addEventListener('abort', () => {
      clearTimeout(timer);
      source?.close();
      ended();
    });
  });
}

function hear(word: Word): void {
  if (word.kind === 'lost') {
    enter('lost');
    return;
  }
  const wasLost = connection.get().state === 'lost';
  enter('live');
  switch (word.kind) {
    case 'live':
      if (wasLost) readAllAgain();
      return;
    case 'tasks':
      createdSince.set(createdSince.get() + word.created);
      patchTasks(word.changed);
      return;
    case 'fleet':
      for (const name of FLEET) void readAgain([name]);
      return;
    case 'resync':
      readAllAgain();
      return;
  }
}
