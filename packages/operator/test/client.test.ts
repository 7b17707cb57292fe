import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorClient } from '../src/client.ts';

let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 });
    response.write('{"tools":[', () => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
});

afterAll(() => {
  server.close();
});

describe('the client of operators', () => {
  it('takes an answer that breaks off for none', async () => {
    await expect(operatorClient({ base })('GET /tools')).rejects.toMatchObject({
      code: 'UNREACHABLE',
      retryable: true,
    });
  });
});
