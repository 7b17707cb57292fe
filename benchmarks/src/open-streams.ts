import { connect, type Socket } from 'node:net';
import type { WireClient } from '@longshore/testing/mcp';

/** Sockets that are connecting at once: a listener's backlog is short. */
const AT_ONCE = 50;

/** A request whose answer stays open. */
export interface StreamRequest {
  readonly session: WireClient;
  /** What is POSTed; null: the session's GET stream. */
  readonly message: object | null;
}

/**
 * Opens streams of one server, each on a connection of its own, and resolves when all are open. By hand: ten thousand
 * clients of a library would need more than what is measured.
 *
 * @param on.line called with each line that comes, those of HTTP too, and the position of its request
 * @param on.lost called when a stream ends that nobody has closed
 * @returns closes them
 */
export async function openStreams(
  url: string,
  requests: readonly StreamRequest[],
  on: {
    readonly line: (line: string, position: number) => void;
    readonly lost: (error: Error, position: number) => void;
  },
): Promise<() => void> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  const open = (request: StreamRequest, position: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let isOpen = false;
      let rest = '';
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.setEncoding('utf8');
      socket.on('data', (text: string) => {
        if (!isOpen) {
          isOpen = true;
          if (text.startsWith('HTTP/1.1 200')) resolve();
          else reject(new Error(text));
        }
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) on.line(line, position);
      });
      const lost = (): void => {
        const error = new Error('a stream ended');
        reject(error);
        on.lost(error, position);
      };
      socket.on('error', lost);
      socket.on('close', lost);
      socket.write(httpRequest(new URL(url), request));
    });
  const waiting = requests.entries();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [position, request] of waiting) await open(request, position);
    }),
  );
  return () => {
    for (const socket of sockets) socket.removeAllListeners('close').destroy();
  };
}

function httpRequest({ host, pathname }: URL, { session, message }: StreamRequest): string {
  const body = message === null ? '' : JSON.stringify(message);
  const lines = [
    `${message === null ? 'GET' : 'POST'} ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    `Accept: ${message === null ? '' : 'application/json, '}text/event-stream`,
    `Mcp-Session-Id: ${session.sessionId}`,
    'Mcp-Protocol-Version: 2025-11-25',
    ...(message === null
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
