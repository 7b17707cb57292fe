import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { openTcpLink, type TcpLink } from '../src/system/tcp-link.ts';

let server: Server;
let link: TcpLink;
const sockets: Socket[] = [];

/** A server that says everything back. */
beforeEach(async () => {
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  link = await openTcpLink();
  link.setTarget((server.address() as AddressInfo).port);
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await link.close();
  server.close();
});

/** A connection through the link, what came back over it, and how it ended. */
async function open() {
  const socket = connect(link.port, '127.0.0.1');
  sockets.push(socket);
  const seen = { text: '', error: '', isClosed: false };
  socket.on('data', (data) => {
    seen.text += data.toString();
  });
  socket.on('error', (error) => {
    seen.error = 'code' in error ? String(error.code) : error.message;
  });
  socket.on('close', () => {
    seen.isClosed = true;
  });
  return { socket, seen };
}

const gets = (seen: { text: string }, text: string) =>
  waitFor(() => seen.text === text, { what: `"${text}" comes back` });

it('hands everything on, in order', async () => {
  const { socket, seen } = await open();
  const text = Array.from({ length: 5_000 }, (_, n) => `${n};`).join('');
  socket.write(text);
  await gets(seen, text);
});

it('holds everything back while it is stalled, and hands it on afterwards', async () => {
  const { socket, seen } = await open();
  socket.write('a');
  await gets(seen, 'a');
  link.stall();
  socket.write('b');
  const { socket: late, seen: lateSeen } = await open();
  late.write('c');
  await waitFor(() => link.open === 2, { what: 'new connections are taken' });
  // A round trip through another link proves that there was time enough.
  const other = await openTcpLink();
  other.setTarget((server.address() as AddressInfo).port);
  const probe = connect(other.port, '127.0.0.1');
  probe.write('x');
  await once(probe, 'data');
  probe.destroy();
  await other.close();
  expect([seen.text, lateSeen.text]).toEqual(['a', '']);
  link.resume();
  await gets(seen, 'ab');
  await gets(lateSeen, 'c');
});

it('breaks connections with a reset, and takes new ones', async () => {
  const { socket, seen } = await open();
  socket.write('a');
  await gets(seen, 'a');
  link.reset();
  await waitFor(() => seen.isClosed, { what: 'the connection is broken' });
  expect(seen.error).toBe('ECONNRESET');
  const next = await open();
  next.socket.write('b');
  await gets(next.seen, 'b');
});

it('delays what it hands on', async () => {
  const { socket, seen } = await open();
  socket.write('a');
  await gets(seen, 'a');
  link.delay(150);
  const startedAt = performance.now();
  socket.write('b');
  await gets(seen, 'ab');
  // Twice, there and back.
  expect(performance.now() - startedAt).toBeGreaterThan(290);
});

it('refuses who comes while nobody is there, and finds the server at its new place', async () => {
  link.setTarget(null);
  const { seen } = await open();
  await waitFor(() => seen.isClosed, { what: 'the connection is refused' });
  link.setTarget((server.address() as AddressInfo).port);
  const next = await open();
  next.socket.write('a');
  await gets(next.seen, 'a');
});

it('tells each side that the other one has hung up', async () => {
  const { socket, seen } = await open();
  socket.write('a');
  await gets(seen, 'a');
  socket.end();
  await waitFor(() => link.open === 0 && seen.isClosed, { what: 'both sides are closed' });
});
