import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests that may wait behind the one that is answered; with more the connection is not read. Few clients
 * send even two, and while it is read a client that leaves is noticed at once.
 */
const MAX_WAITING = 16;

/**
 * The requests of one connection, begun one after the other. HTTP/1.1 answers in order, so whoever sends many
 * without waiting gains nothing by having them begun at once; but each would hold its answer in memory, where
 * no bound of a connection counts it, and Node tells none but the first that its client has left.
 */
export class RequestLine {
  readonly #socket: Socket;
  readonly #handler: RequestListener;
  readonly #waiting: (readonly [IncomingMessage, ServerResponse])[] = [];
  #isBusy = false;
  #isHeldBack = false;

  constructor(socket: Socket, handler: RequestListener) {
    this.#socket = socket;
    this.#handler = handler;
    // Whoever reads the body of a request has its connection read on.
    socket.on('resume', () => this.#holdBack());
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#isBusy) {
      this.#begin(request, response);
      return;
    }
    this.#waiting.push([request, response]);
    this.#holdBack();
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#isBusy = true;
    // Others come first: what is answered at once would otherwise be followed by all that waits.
    response.once('close', () => setImmediate(() => this.#next()));
    this.#handler(request, response);
  }

  #next(): void {
    if (this.#socket.destroyed) {
      this.#waiting.length = 0;
      return;
    }
    const next = this.#waiting.shift();
    if (next === undefined) this.#isBusy = false;
    else this.#begin(...next);
    if (!this.#isHeldBack || this.#waiting.length >= MAX_WAITING) return;
    this.#isHeldBack = false;
    this.#socket.resume();
  }

  #holdBack(): void {
    if (this.#waiting.length < MAX_WAITING) return;
    this.#isHeldBack = true;
    this.#socket.pause();
  }
}
