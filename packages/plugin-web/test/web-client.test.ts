import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createGuardedAgent, NetworkPolicy, type Resolve } from '@longshore/network';
import { waitFor } from '@longshore/testing';
import type { Agent } from 'undici';
import { WebClient } from '../src/network/web-client.ts';
import { bytes, redirect, type Site, startSite } from './site.ts';

let site: Site;
let agent: Agent;
/** Addresses by name, in the order of asking; the last one stays. */
let names: Record<string, string[]> = {};
let resolved: string[] = [];

const resolve: Resolve = async (hostname) => {
  resolved.push(hostname);
  const known = names[hostname] ?? [];
  const address = known.length > 1 ? known.shift() : known[0];
  if (address === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' });
  return address.split(',').map((one) => ({ address: one, family: one.includes(':') ? 6 : 4 }));
};

let client: WebClient;
const policyOf = (): NetworkPolicy =>
  new NetworkPolicy({
    hosts: ['*'],
    privateHosts: [site.host, `site.test:${site.port}`, `rebound.test:${site.port}`],
  });

beforeAll(async () => {
  site = await startSite();
  const policy = policyOf();
  agent = createGuardedAgent(policy, resolve);
  client = new WebClient({ agent, policy, userAgent: 'harbourbot/1.0', timeoutMs: 20_000 });
});

beforeEach(() => {
  names = { 'site.test': ['127.0.0.1'], 'rebound.test': ['127.0.0.1'] };
  resolved = [];
  site.forget();
});

afterAll(async () => {
  await agent.destroy();
  await site.close();
});

const get = (url: string, over: { maxBytes?: number; signal?: AbortSignal; by?: WebClient } = {}) =>
  (over.by ?? client).get(url, {
    signal: over.signal ?? new AbortController().signal,
    maxBytes: over.maxBytes ?? 100_000,
    accept: '*/*',
    before: async () => () => {},
  });

const failing = (reason: string, more: object = {}) => expect.objectContaining({ reason, ...more });

describe('what is not public', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0.0.0.0/',
    'https://192.168.1.1/',
    'https://[fe80::1]/',
  ])('is refused as an address: %s', async (url) => {
    await expect(get(url)).rejects.toEqual(failing('PRIVATE_ADDRESS'));
    expect(resolved).toEqual([]);
  });

  it.each([
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:192.168.0.1'],
    ['93.184.216.34,127.0.0.1'],
  ])('is refused behind a name: %s', async (address) => {
    names['inside.test'] = [address];
    await expect(get('http://inside.test/')).rejects.toEqual(failing('PRIVATE_ADDRESS'));
    await expect(get('https://inside.test/')).rejects.toEqual(failing('PRIVATE_ADDRESS'));
  });

  it.each([
    ['http://169.254.169.254/latest/', 'PRIVATE_ADDRESS'],
    ['http://127.0.0.1:8080/', 'PRIVATE_ADDRESS'],
    ['http://inside.test/', 'PRIVATE_ADDRESS'],
    ['//inside.test/', 'PRIVATE_ADDRESS'],
    ['http://127.0.0.1:6379/', 'HOST_NOT_ALLOWED'],
    ['file:///etc/passwd', 'INVALID_URL'],
    ['gopher://127.0.0.1/', 'INVALID_URL'],
  ])('is refused after a redirect to %s', async (location, reason) => {
    names['inside.test'] = ['10.0.0.1'];
    site.on('/go', redirect(location));
    await expect(get(`${site.origin}/go`)).rejects.toEqual(failing(reason));
    expect(site.asked).toEqual(['/go']);
  });

  it('is refused when DNS changes its mind between two requests', async () => {
    // Granted private addresses, but nobody is granted those of metadata services.
    names['rebound.test'] = ['127.0.0.1', '169.254.169.254'];
    site.on('/rebound', (response) =>
      response.writeHead(302, { location: '/again', connection: 'close' }).end(),
    );
    site.on('/again', 'never');
    await expect(get(`http://rebound.test:${site.port}/rebound`)).rejects.toEqual(
      failing('PRIVATE_ADDRESS'),
    );
    expect(resolved).toEqual(['rebound.test', 'rebound.test']);
    expect(site.asked).toEqual(['/rebound']);
  });

  it('has no second look-up to deceive: the address that was checked is the one connected to', async () => {
    names['site.test'] = ['127.0.0.1', '10.0.0.1'];
    site.on('/once', 'here');
    const { body } = await get(`http://site.test:${site.port}/once`);
    expect(body.toString()).toBe('here');
    expect(resolved).toEqual(['site.test']);
  });
});

describe('a response', () => {
  it('comes through redirects, with where it came from', async () => {
    site.on('/a', redirect('b', 301));
    site.on('/b', redirect('/c?x=1#part', 308));
    site.on('/c?x=1', 'here');
    const { url, body, status } = await get(`${site.origin}/a`);
    expect([url.href, body.toString(), status]).toEqual([`${site.origin}/c?x=1`, 'here', 200]);
  });

  it('ends a chain of redirects', async () => {
    site.on('/round', redirect('/round'));
    await expect(get(`${site.origin}/round`)).rejects.toEqual(failing('TOO_MANY_REDIRECTS'));
    expect(site.count('/round')).toBe(6);
  });

  it('is unpacked, and not by more than it may have', async () => {
    const headers = { 'content-encoding': 'gzip' };
    site.on('/packed', bytes(gzipSync('packed'), headers));
    expect((await get(`${site.origin}/packed`)).body.toString()).toBe('packed');
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    expect(bomb.length).toBeLessThan(100_000);
    site.on('/bomb', bytes(bomb, headers));
    await expect(get(`${site.origin}/bomb`)).rejects.toEqual(failing('TOO_LARGE'));
    site.on('/broken', bytes('no gzip', headers));
    await expect(get(`${site.origin}/broken`)).rejects.toEqual(failing('BAD_RESPONSE'));
    site.on('/odd', bytes('?', { 'content-encoding': 'compress' }));
    await expect(get(`${site.origin}/odd`)).rejects.toEqual(failing('BAD_RESPONSE'));
  });

  it('is refused when it says that it is too large, and when it never ends', async () => {
    site.on('/large', (response) =>
      response.writeHead(200, { 'content-length': '100001' }).flushHeaders(),
    );
    await expect(get(`${site.origin}/large`)).rejects.toEqual(failing('TOO_LARGE'));
    let closed = false;
    site.on('/endless', (response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000))) {}
      };
      response.on('drain', write).on('close', () => {
        closed = true;
      });
      write();
    });
    await expect(get(`${site.origin}/endless`)).rejects.toEqual(failing('TOO_LARGE'));
    await waitFor(() => closed, { what: 'the site notices that nobody reads on' });
  });

  it('is too late when it does not come, or does not end', async () => {
    const hasty = new WebClient({ agent, policy: policyOf(), userAgent: 'x', timeoutMs: 100 });
    site.on('/silent', () => {});
    await expect(get(`${site.origin}/silent`, { by: hasty })).rejects.toEqual(failing('TIMEOUT'));
    site.on('/half', (response) => response.writeHead(200).write('half'));
    await expect(get(`${site.origin}/half`, { by: hasty })).rejects.toEqual(failing('TIMEOUT'));
  });

  it('says what is wrong with it', async () => {
    site.on('/gone', (response) => response.writeHead(410).end('gone'));
    await expect(get(`${site.origin}/gone`)).rejects.toEqual(
      failing('HTTP_STATUS', { status: 410 }),
    );
    site.on('/busy', (response) => response.writeHead(503, { 'retry-after': '7' }).end());
    await expect(get(`${site.origin}/busy`)).rejects.toEqual(
      failing('HTTP_STATUS', { status: 503, retryAfterMs: 7_000, isTransient: true }),
    );
    site.on('/cut', (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x');
      response.destroy();
    });
    await expect(get(`${site.origin}/cut`)).rejects.toEqual(failing('CONNECT_FAILED'));
    site.on('/garbage', (response) => response.socket?.end('HTTP/1.1 what\r\n\r\n'));
    await expect(get(`${site.origin}/garbage`)).rejects.toEqual(failing('BAD_RESPONSE'));
    site.on('/headers', bytes('', { 'x-long': 'x'.repeat(40_000) }));
    await expect(get(`${site.origin}/headers`)).rejects.toEqual(failing('BAD_RESPONSE'));
    await expect(get('http://nowhere.test/')).rejects.toEqual(failing('DNS_FAILED'));
    await expect(get(`https://127.0.0.1:${site.port}/`)).rejects.toEqual(failing('TLS_FAILED'));
  });

  it('is not waited for when the task is stopped', async () => {
    const controller = new AbortController();
    site.on('/stop', () => controller.abort(new Error('enough')));
    await expect(get(`${site.origin}/stop`, { signal: controller.signal })).rejects.toThrow(
      'enough',
    );
  });
});
