import { connect, type Socket } from 'node:net';
import type { WireClient } from '@longshore/testing/mcp';

/** Sockets that are connecting at once: a listener's backlog is short. */
const AT_ONCE = 50;
/** The end of the request's answer, an error like a result. */
const ANSWER = /"id":7[,}]/;

/** Requests that wait for the results of tasks, each on a connection of its own. */
export interface Waits {
  /** Resolves when all have their answers. */
  readonly answered: Promise<void>;
  close(): void;
}

/**
 * Asks for the result of each task and resolves when all streams are open. By hand: ten thousand clients of a
 * library would need more than what is measured.
 */
export async function openWaits(
  url: string,
  tasks: readonly { readonly session: WireClient; readonly taskId: string }[],
): Promise<Waits> {
  const { hostname, port, pathname } = new URL(url);
  const sockets: Socket[] = [];
  let left = tasks.length;
  let settle: { resolve: () => void; reject: (error: Error) => void } | null = null;
  const answered = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const open = ({ session, taskId }: (typeof tasks)[number]): Promise<void> =>
    new Promise((resolve, reject) => {
      let isOpen = false;
      let isAnswered = false;
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method: 'tasks/result',
        params: { taskId },
      });
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.setEncoding('utf8');
      socket.on('data', (text: string) => {
        if (!isOpen) {
          isOpen = true;
          if (text.startsWith('HTTP/1.1 200')) resolve();
          else reject(new Error(text));
        }
        if (isAnswered || !ANSWER.test(text)) return;
        isAnswered = true;
        left -= 1;
        if (left === 0) settle?.resolve();
      });
      const lost = (): void => {
        const error = new Error(`a connection ended, ${left} answers are missing`);
        reject(error);
        if (!isAnswered) settle?.reject(error);
      };
      socket.on('error', lost);
      socket.on('close', lost);
      socket.write(
        `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n` +
          `Accept: application/json, text/event-stream\r\nMcp-Session-Id: ${session.sessionId}\r\n` +
          `Mcp-Protocol-Version: 2025-11-25\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
  // Whoever awaits it comes later, and may never come.
  answered.catch(() => {});
  const waiting = tasks[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const task of waiting) await open(task);
    }),
  );
  return {
    answered,
    close: () => {
      for (const socket of sockets) socket.removeAllListeners('close').destroy();
    },
  };
}
