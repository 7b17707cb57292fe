import type { OperatorEvent } from '@longshore/operator';
import { API, client, isProblem } from './client.ts';
import { connection, enter } from './connection.ts';
import { patchTasks } from './live-tasks.ts';
import { createdSince, forgetLogin, readAgain } from './queries.ts';

const FLEET = ['workers', 'tools', 'queues', 'keys', 'schedules'];
const TRY_AGAIN_MS = 2_000;

let stream: EventSource | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Opens the one stream of events of this tab, and keeps it open until `closeLive`. */
export function openLive(): void {
  if (stream !== null || connection.get().state === 'paused') return;
  clearTimeout(timer);
  const source = new EventSource(`${API}/events`);
  stream = source;
  source.onopen = () => {
    const wasLost = connection.get().state === 'lost';
    enter('live');
    if (wasLost) readAllAgain();
  };
  source.onmessage = ({ data }) => {
    enter('live');
    receive(JSON.parse(String(data)) as OperatorEvent);
  };
  source.onerror = () => {
    // The browser's own pause before it tries again differs by browser, and some answers make it stop for good.
    closeLive();
    enter('lost');
    timer = setTimeout(() => void tryAgain(), TRY_AGAIN_MS);
  };
}

export function closeLive(): void {
  clearTimeout(timer);
  stream?.close();
  stream = null;
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

async function tryAgain(): Promise<void> {
  try {
    await client('GET /me');
    openLive();
  } catch (error) {
    if (isProblem(error, 401)) forgetLogin();
    else timer = setTimeout(() => void tryAgain(), TRY_AGAIN_MS);
  }
}

function receive(event: OperatorEvent): void {
  switch (event.kind) {
    case 'tasks':
      createdSince.set(createdSince.get() + event.created);
      patchTasks(event.changed);
      return;
    case 'fleet':
      for (const name of FLEET) void readAgain([name]);
      return;
    case 'resync':
      readAllAgain();
      return;
  }
}
