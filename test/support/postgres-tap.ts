import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a process and Postgres, and writes down which prepared statements it runs. */
export interface PostgresTap {
  /** For the process, in place of the URL of the server. */
  readonly url: string;
  /** Names of statements as `packages/database` calls them, in the order they were sent. */
  readonly statements: string[];
  close(): Promise<void>;
}

/** @param url of the server; connections are passed on as they are, without TLS */
export async function startPostgresTap(url: string): Promise<PostgresTap> {
  const target = new URL(url);
  const statements: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    const readMessages = messageReader((type, body) => {
      if (type !== 'B') return;
      // Bind: portal and statement, each ended by a zero (PostgreSQL, "Message Formats").
      const [, statement = ''] = body.toString('latin1').split('\0', 2);
      if (statement !== '') statements.push(statement.replace(/-\d+$/, ''));
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', readMessages);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tapped = new URL(url);
  tapped.hostname = '127.0.0.1';
  tapped.port = String((server.address() as AddressInfo).port);
  return {
    url: tapped.href,
    statements,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Takes what a client sends apart; its first message has no type. */
function messageReader(onMessage: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const typeLength = isStarted ? 1 : 0;
      if (rest.length < typeLength + 4) return;
      const end = typeLength + rest.readInt32BE(typeLength);
      if (rest.length < end) return;
      if (isStarted) onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(5, end));
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
}
