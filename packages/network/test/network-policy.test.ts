import { describe, expect, it } from '@jest/globals';
import { addressKind } from '../src/address-kind.ts';
import { NetworkPolicy } from '../src/network-policy.ts';

describe('an address', () => {
  it.each([
    ['93.184.216.34', 'public'],
    ['2606:4700::1111', 'public'],
    ['::ffff:93.184.216.34', 'public'],
    ['127.0.0.1', 'private'],
    ['127.8.9.10', 'private'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['::1', 'private'],
    ['::ffff:127.0.0.1', 'private'],
    ['::ffff:7f00:1', 'private'],
    ['fd12:3456::1', 'private'],
    ['169.254.169.254', 'forbidden'],
    ['::ffff:169.254.169.254', 'forbidden'],
    ['fe80::1', 'forbidden'],
    ['100.100.100.200', 'forbidden'],
    ['168.63.129.16', 'forbidden'],
    ['fd00:ec2::254', 'forbidden'],
    ['0.0.0.0', 'forbidden'],
    ['::', 'forbidden'],
    ['224.0.0.1', 'forbidden'],
    ['255.255.255.255', 'forbidden'],
    ['192.0.0.192', 'forbidden'],
    ['64:ff9b::7f00:1', 'forbidden'],
    ['64:ff9b:1::7f00:1', 'forbidden'],
    ['2002:7f00:1::1', 'forbidden'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'forbidden'],
    // IPv4-compatible: both ways to write it, also of a public address.
    ['::127.0.0.1', 'forbidden'],
    ['::7f00:1', 'forbidden'],
    ['::169.254.169.254', 'forbidden'],
    ['::a9fe:a9fe', 'forbidden'],
    ['::8.8.8.8', 'forbidden'],
    ['::808:808', 'forbidden'],
    ['::ffff:0:127.0.0.1', 'forbidden'],
    ['::5efe:127.0.0.1', 'forbidden'],
    ['::1:7f00:1', 'forbidden'],
    ['fec0::1', 'forbidden'],
    ['fe80::1%eth0', 'forbidden'],
    ['ff02::1', 'forbidden'],
    ['100::1', 'forbidden'],
    ['100:0:0:1::1', 'forbidden'],
    ['1::1', 'forbidden'],
    ['4000::1', 'forbidden'],
    ['5f00::1', 'forbidden'],
    ['2001:db8::1', 'forbidden'],
    ['3fff::1', 'forbidden'],
    ['2001:4860:4860::8888', 'public'],
    ['2a00:1450:4001::1', 'public'],
    ['fc00::1', 'private'],
    ['198.18.0.1', 'forbidden'],
    ['203.0.113.1', 'forbidden'],
    ['240.0.0.1', 'forbidden'],
    ['127.1', 'forbidden'],
    ['2130706433', 'forbidden'],
    ['nonsense', 'forbidden'],
  ])('%s is %s', (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });
});

describe('the policy', () => {
  const open = new NetworkPolicy({
    hosts: ['*'],
    privateHosts: ['wiki.internal:8443', '[::1]:9000'],
  });
  const narrow = new NetworkPolicy({ hosts: ['Example.com', '*.example.org'], privateHosts: [] });

  it.each([
    [open, 'https://anything.test/a?b#c', 'https://anything.test/a?b'],
    [open, 'https://wiki.internal:8443/', 'https://wiki.internal:8443/'],
    [open, 'http://[::1]:9000/', 'http://[::1]:9000/'],
    [open, 'http://www.example.com:8080/', 'http://www.example.com:8080/'],
    [narrow, 'https://EXAMPLE.com./', 'https://example.com./'],
    [narrow, 'https://a.b.example.org/', 'https://a.b.example.org/'],
  ])('lets %# pass: %s', (policy, text, href) => {
    expect(policy.url(text).href).toBe(href);
  });

  it.each([
    [open, 'ftp://example.com/', 'INVALID_URL'],
    [open, 'file:///etc/passwd', 'INVALID_URL'],
    [open, 'not a url', 'INVALID_URL'],
    [open, 'https://user:secret@example.com/', 'INVALID_URL'],
    [open, `https://example.com/${'a'.repeat(2_048)}`, 'INVALID_URL'],
    [open, 'http://example.com:22/', 'HOST_NOT_ALLOWED'],
    [open, 'http://example.com:6379/', 'HOST_NOT_ALLOWED'],
    [narrow, 'https://example.org/', 'HOST_NOT_ALLOWED'],
    [narrow, 'https://www.example.com/', 'HOST_NOT_ALLOWED'],
    [narrow, 'https://evilexample.org/', 'HOST_NOT_ALLOWED'],
    [narrow, 'https://example.com.evil.test/', 'HOST_NOT_ALLOWED'],
  ])('refuses %# %s as %s', (policy, text, reason) => {
    expect(() => policy.url(text)).toThrow(expect.objectContaining({ reason }));
  });

  it('gives private addresses to whoever was granted them by name and port only', () => {
    const refused = expect.objectContaining({ reason: 'PRIVATE_ADDRESS' });
    expect(() => open.assertAddress('10.0.0.1', 'wiki.internal', '8443')).not.toThrow();
    expect(() => open.assertAddress('10.0.0.1', 'wiki.internal', '443')).toThrow(refused);
    expect(() => open.assertAddress('10.0.0.1', 'other.internal', '8443')).toThrow(refused);
    expect(() => open.assertAddress('169.254.169.254', 'wiki.internal', '8443')).toThrow(refused);
    expect(() => open.assertAddress('93.184.216.34', 'other.internal', '443')).not.toThrow();
  });

  it.each(['[::127.0.0.1]', '[::7f00:1]', '[0:0:0:0:0:0:7f00:1]'])(
    'gives nobody %s, as URLs write it',
    (host) => {
      const { hostname } = open.url(`http://${host}/`);
      const refused = expect.objectContaining({ reason: 'PRIVATE_ADDRESS' });
      expect(() => open.assertAddress(hostname.slice(1, -1), hostname, '80')).toThrow(refused);
    },
  );

  it.each([
    [{ hosts: ['exam ple.com'], privateHosts: [] }, 'host name'],
    [{ hosts: ['https://example.com'], privateHosts: [] }, 'host name'],
    [{ hosts: ['example.com:80'], privateHosts: [] }, 'host name'],
    [{ hosts: [], privateHosts: ['wiki.internal'] }, 'name:port'],
  ])('does not start with %j', (grant, message) => {
    expect(() => new NetworkPolicy(grant)).toThrow(message);
  });
});
