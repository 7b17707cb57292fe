import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventNames } from '../../src/edge/delivery.ts';
import { KeepAlive } from '../../src/edge/keep-alive.ts';
import { PostExchange, type PostExchangeOptions } from '../../src/edge/post-exchange.ts';
import { silentRecord } from '../support/silent-trail.ts';

const ANSWER = { jsonrpc: '2.0', id: 1, result: {} } as const;
const NEWS = { jsonrpc: '2.0', method: 'notifications/message' } as const;

/** Names events 1, 2, 3 … and the last one `end`. */
function numbers(): EventNames {
  let n = 0;
  return {
    next: () => {
      n += 1;
      return String(n);
    },
    last: () => 'end',
  };
}

describe('an exchange', () => {
  let server: Server;
  let respond: (response: ServerResponse) => void;

  beforeEach(async () => {
    server = createServer((_request, response) => respond(response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  /** What a client gets when the server does this with the exchange, and that once the headers are there. */
  const get = async (
    run: (exchange: PostExchange) => void,
    options: Partial<PostExchangeOptions> = {},
    onHeaders: () => void = () => {},
  ) => {
    respond = (response) =>
      run(
        new PostExchange(response, {
          requestId: 1,
          accepted: { json: true, eventStream: true },
          keepAlive: new KeepAlive(60_000),
          log: silentRecord,
          comesBack: true,
          maxAgeMs: null,
          ...options,
        }),
      );
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`);
    onHeaders();
    const type = response.headers.get('content-type');
    return { status: response.status, type, body: await response.text() };
  };
  const retry = expect.stringMatching(/^id: 1\nretry: \d+\ndata:\n\n/);

  it('whose answer is there at once is plain JSON, held or not', async () => {
    const plain = { status: 200, type: 'application/json', body: JSON.stringify(ANSWER) };
    expect(await get((exchange) => exchange.respond(ANSWER, 200, {}))).toEqual(plain);
    expect(
      await get((exchange) => {
        exchange.hold(numbers());
        exchange.respond(ANSWER, 200, {});
      }),
    ).toEqual(plain);
  });

  it('becomes a stream with the first message, all events named', async () => {
    const { type, body } = await get((exchange) => {
      exchange.hold(numbers());
      exchange.notify(NEWS);
      exchange.respond(ANSWER, 200, {});
    });
    expect(type).toBe('text/event-stream');
    expect(body).toEqual(retry);
    expect(body.match(/^id: .*$/gm)).toEqual(['id: 1', 'id: 2', 'id: end']);
    expect(body.endsWith(`data: ${JSON.stringify(ANSWER)}\n\n`)).toBe(true);
  });

  it('becomes a stream when the answer takes time', async () => {
    let held: PostExchange | null = null;
    const { body } = await get(
      (exchange) => {
        held = exchange;
        exchange.hold(numbers());
      },
      {},
      () => held?.respond(ANSWER, 200, {}),
    );
    expect(body).toEqual(retry);
  });

  it('starts with the name of the moment it was held, whatever was named before it is opened', async () => {
    const { body } = await get((exchange) => {
      let asked = 0;
      exchange.hold({ next: () => `asked ${asked}`, last: () => null });
      asked = 1;
      exchange.notify(NEWS);
      exchange.respond(ANSWER, 200, {});
    });
    expect(body.match(/^id: .*$/gm)).toEqual(['id: asked 0', 'id: asked 1']);
  });

  it('of an older revision has no empty event', async () => {
    const { body } = await get(
      (exchange) => {
        exchange.hold(numbers());
        exchange.notify(NEWS);
        exchange.respond(ANSWER, 200, {});
      },
      { comesBack: false },
    );
    expect(body.startsWith('event: message\nid: 1\n')).toBe(true);
  });

  it('that was held when the process stops says where to come back, opened or not', async () => {
    for (const opened of [true, false]) {
      const { status, body } = await get((exchange) => {
        exchange.hold(numbers());
        if (opened) exchange.notify(NEWS);
        exchange.stop('shutdown');
        exchange.respond(null, 200, {});
      });
      expect(status).toBe(200);
      expect(body).toEqual(retry);
      expect(body).toMatch(/retry: \d+\n\n$/);
    }
  });

  it('that was not held when the process stops is to be sent again', async () => {
    expect(
      await get((exchange) => {
        exchange.stop('shutdown');
        exchange.respond(null, 200, {});
      }),
    ).toMatchObject({ status: 503, body: '' });
  });

  it('has its answer also while the process stops, when there is one', async () => {
    expect(
      await get((exchange) => {
        exchange.stop('shutdown');
        exchange.respond(ANSWER, 200, {});
      }),
    ).toMatchObject({ status: 200, body: JSON.stringify(ANSWER) });
  });

  it('that was withdrawn has no answer, and tells a stream’s reader not to come back', async () => {
    expect(
      await get((exchange) => {
        exchange.hold(numbers());
        exchange.withdraw();
        exchange.respond(ANSWER, 200, {});
      }),
    ).toMatchObject({ status: 202, body: '' });
    const { body } = await get((exchange) => {
      exchange.hold(numbers());
      exchange.notify(NEWS);
      exchange.withdraw();
      exchange.respond(ANSWER, 200, {});
    });
    expect(body.endsWith('id: end\ndata:\n\n')).toBe(true);
    expect(body).not.toContain('result');
  });

  it('takes no stream where the client takes none', async () => {
    expect(
      await get(
        (exchange) => {
          expect(exchange.streams).toBe(false);
          exchange.hold(numbers());
          exchange.notify(NEWS);
          exchange.respond(ANSWER, 200, {});
        },
        { accepted: { json: true, eventStream: false } },
      ),
    ).toMatchObject({ type: 'application/json', body: JSON.stringify(ANSWER) });
  });

  it('ends its connection when that is old', async () => {
    const { body } = await get(
      (exchange) => {
        exchange.signal.addEventListener('abort', () => exchange.respond(null, 200, {}));
        exchange.hold(numbers());
        exchange.notify(NEWS);
      },
      { maxAgeMs: 20 },
    );
    expect(body).toMatch(/retry: \d+\n\n$/);
  });
});
