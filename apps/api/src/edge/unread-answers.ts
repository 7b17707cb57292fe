import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import type { Logger, Service } from '@longshore/core';

/**
 * 256 MiB: some thousand streams with their share, or some dozen of the largest results. Of a small heap a
 * quarter, for most of them are text on it.
 */
const MAX_UNREAD_BYTES = Math.min(268_435_456, getHeapStatistics().heap_size_limit / 4);
/** How often the bytes are counted, in milliseconds: thousands of connections are counted in well under one. */
const COUNT_INTERVAL_MS = 500;

/**
 * Bounds what this process keeps for clients that do not read their answers, all together. Over the limit the
 * connections with the most are cut; their clients come back for the rest, or ask again.
 */
export class UnreadAnswers implements Service {
  readonly #maxBytes: number;
  readonly #log: Logger;
  readonly #sockets = new Set<Socket>();
  #timer: NodeJS.Timeout | null = null;

  constructor({ log, maxBytes = MAX_UNREAD_BYTES }: { log: Logger; maxBytes?: number }) {
    this.#maxBytes = maxBytes;
    this.#log = log;
  }

  start(): Promise<void> {
    this.#timer ??= setInterval(() => this.runOnce(), COUNT_INTERVAL_MS).unref();
    return Promise.resolve();
  }

  stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    return Promise.resolve();
  }

  watch(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** Cuts as many connections as it takes. @returns how many */
  runOnce(): number {
    let bytes = 0;
    for (const socket of this.#sockets) bytes += socket.writableLength;
    if (bytes <= this.#maxBytes) return 0;
    let cut = 0;
    const largestFirst = [...this.#sockets].sort((a, b) => b.writableLength - a.writableLength);
    for (const socket of largestFirst) {
      if (bytes <= this.#maxBytes) break;
      bytes -= socket.writableLength;
      socket.destroy();
      cut += 1;
    }
    this.#log.warn({ cut }, 'too much waits for clients that do not read: connections cut');
    return cut;
  }
}
