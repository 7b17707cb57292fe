import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a process and Postgres: writes down what it runs, and is a link that can fail. */
export interface PostgresTap {
  /** For the process, in place of the URL of the server. */
  readonly url: string;
  /**
   * Names of prepared statements as `packages/database` calls them, what Prisma's client sends as `SELECT schedules`, and
   * the text of simple queries, such as `COMMIT`, in the order they were sent.
   */
  readonly statements: string[];
  /** From now on nothing passes, either way, and nobody is told. */
  hold(): void;
  /** What was held passes, and all that follows. */
  resume(): void;
  /** The server does what the next statement of this name says, and its connection breaks before the client hears of it. */
  loseAnswerTo(statement: string): void;
  close(): Promise<void>;
}

/** @param url of the server; connections are passed on as they are, without TLS */
export async function startPostgresTap(url: string): Promise<PostgresTap> {
  const target = new URL(url);
  const statements: string[] = [];
  const sockets = new Set<Socket>();
  let held: (() => void)[] | null = null;
  const pass = (send: () => void): void => {
    if (held === null) send();
    else held.push(send);
  };
  let unheard: string | null = null;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    let isLost = false;
    const readMessages = messageReader((type, body) => {
      const statement = statementOf(type, body);
      if (statement === null) return;
      statements.push(statement);
      if (statement !== unheard) return;
      isLost = true;
      unheard = null;
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
    client.on('data', (chunk) => {
      readMessages(chunk);
      pass(() => upstream.write(chunk));
    });
    upstream.on('data', (chunk) => {
      if (isLost) client.destroy();
      else pass(() => client.write(chunk));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tapped = new URL(url);
  tapped.hostname = '127.0.0.1';
  tapped.port = String((server.address() as AddressInfo).port);
  return {
    url: tapped.href,
    statements,
    hold: () => {
      held ??= [];
    },
    resume: () => {
      const sends = held ?? [];
      held = null;
      for (const send of sends) send();
    },
    loseAnswerTo: (statement) => {
      unheard = statement;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What a message runs (PostgreSQL, "Message Formats"): Bind names portal and statement, Query has the text. */
function statementOf(type: string, body: Buffer): string | null {
  const parts = body.toString('latin1').split('\0', 2);
  if (type === 'Q') return parts[0] ?? null;
  if (type === 'P' && parts[0] === '') {
    const [, verb, table] =
      /^(SELECT|UPDATE|DELETE).*?"public"\."(\w+)"/s.exec(parts[1] ?? '') ?? [];
    return verb === undefined ? null : `${verb} ${table}`;
  }
  const name = type === 'B' ? parts[1] : '';
  return name === undefined || name === '' ? null : name.replace(/-\d+$/, '');
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
