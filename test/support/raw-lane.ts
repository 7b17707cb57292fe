import { connect, type Socket } from 'node:net';
import type { Answered } from './due-form.ts';

/** Bytes for a socket, and what may be expected of them. */
export interface RawCase {
  /** What it is, for messages. */
  readonly what: string;
  readonly bytes: Buffer;
  /** Whole HTTP requests in `bytes`; 0: whatever comes will do, an end of the connection too. */
  readonly requests: number;
  /** The answer has no body whatever its head says. */
  readonly isHead?: boolean;
  /** Not for the MCP endpoint, so the answer need not be JSON-RPC. */
  readonly isElsewhere?: boolean;
  /** How the client goes on: it waits for answers, says that it will send no more, or vanishes. */
  readonly after: 'wait' | 'finish' | 'reset';
}

/** Nothing that is sent here takes long, so an answer that does not come is a hang. */
const HANG_MS = 30_000;
const HEAD_END = Buffer.from('\r\n\r\n');

/** One connection after the other to one server; each is used for as many cases as it survives. */
export class RawLane {
  readonly #port: number;
  #socket: Socket | null = null;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => {};

  constructor(url: string) {
    this.#port = Number(new URL(url).port);
  }

  /**
   * Sends a case and reads its answers.
   * @returns in order; fewer than there were requests when the server ended the connection
   * @throws {Error} when it neither answers nor ends the connection
   */
  async send(raw: RawCase): Promise<Answered[]> {
    const socket = this.#connected();
    socket.write(raw.bytes);
    if (raw.after === 'reset') {
      socket.resetAndDestroy();
      this.close();
      return [];
    }
    if (raw.after === 'finish') socket.end();
    const answers: Answered[] = [];
    while (answers.length < Math.max(raw.requests, 1)) {
      const answer = await this.#next(raw);
      if (answer === null) break;
      answers.push(answer);
      if (answer.contentType.startsWith('text/event-stream')) break;
    }
    const isClean = raw.requests > 0 && answers.length === raw.requests && !this.#ended;
    const streams = answers.some(({ contentType }) => contentType.startsWith('text/event-stream'));
    if (!isClean || streams || raw.after !== 'wait') this.close();
    return answers;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  #connected(): Socket {
    if (this.#socket !== null && !this.#ended) return this.#socket;
    this.close();
    const socket = connect(this.#port, '127.0.0.1');
    this.#socket = socket;
    this.#received = Buffer.alloc(0);
    this.#ended = false;
    const isCurrent = (): boolean => this.#socket === socket;
    socket.on('data', (data) => {
      if (!isCurrent()) return;
      this.#received = Buffer.concat([this.#received, data]);
      this.#wake();
    });
    const end = (): void => {
      if (!isCurrent()) return;
      this.#ended = true;
      this.#wake();
    };
    socket.on('end', end);
    socket.on('error', end);
    socket.on('close', end);
    return socket;
  }

  /** Null: the connection ended instead. */
  async #next(raw: RawCase): Promise<Answered | null> {
    const until = performance.now() + HANG_MS;
    for (;;) {
      const taken = takeAnswer(this.#received, raw.isHead ?? false);
      if (taken !== null) {
        this.#received = this.#received.subarray(taken.length);
        if (taken.answer.status !== 100) return taken.answer;
        continue;
      }
      if (this.#ended) return null;
      if (performance.now() > until) throw new Error(`no answer to ${describeCase(raw)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, HANG_MS);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

/** What was sent, short and printable. */
export function describeCase({ what, bytes }: RawCase): string {
  return `${what}: ${JSON.stringify(bytes.toString('latin1', 0, 1_500))} (${bytes.length} bytes)`;
}

/** The first whole answer in `received`; of an event stream its beginning. Null: not there yet. */
function takeAnswer(
  received: Buffer,
  isHead: boolean,
): { answer: Answered; length: number } | null {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const head = received.toString('latin1', 0, headEnd);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) throw new Error(`no HTTP answer: ${head}`);
  // A header that the client made the server write.
  if (/^x-injected:/im.test(head)) throw new Error(`a header was injected: ${head}`);
  const contentType = /^content-type: *(.*)$/im.exec(head)?.[1] ?? '';
  const start = headEnd + HEAD_END.length;
  const done = (text: string, length: number) => ({
    answer: { status, contentType, text },
    length,
  });
  if (contentType.startsWith('text/event-stream')) return done('', received.length);
  if (isHead || status === 100 || status === 204) return done('', start);
  const length = /^content-length: *(\d+)$/im.exec(head)?.[1];
  if (length !== undefined) {
    const end = start + Number(length);
    return received.length < end ? null : done(received.toString('utf8', start, end), end);
  }
  if (!/^transfer-encoding: *chunked$/im.test(head)) return done('', start);
  const chunks = takeChunks(received.subarray(start));
  return chunks === null ? null : done(chunks.text, start + chunks.length);
}

function takeChunks(body: Buffer): { text: string; length: number } | null {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = body.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (body.length < next) return null;
    if (size === 0) return { text: Buffer.concat(parts).toString('utf8'), length: next };
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
