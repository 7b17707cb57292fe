import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * `private`: may be reached where the operator says so. `forbidden`: never, because what answers there hands
 * out credentials of the machine, or because the address stands for another one (IPv4 within IPv6).
 */
export type AddressKind = 'public' | 'private' | 'forbidden';

/** Metadata services of clouds that do not sit in the link-local range. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
]);

const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'uniqueLocal',
  'carrierGradeNat',
]);

/** All that IANA gives to the internet (RFC 4291, 2.4): what lies beside it is reserved, whatever a list of ranges says. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** @param address of a socket, v4 or v6; IPv4-mapped IPv6 counts as the IPv4 it is */
export function addressKind(address: string): AddressKind {
  const text = canonical(address);
  if (text === null) return 'forbidden';
  const parsed = ipaddr.process(text);
  if (METADATA_ADDRESSES.has(parsed.toString())) return 'forbidden';
  const range = parsed.range();
  if (range === 'unicast') return isGlobal(parsed) ? 'public' : 'forbidden';
  return PRIVATE_RANGES.has(range) ? 'private' : 'forbidden';
}

function isGlobal(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

/** One text for all ways to write it: ipaddr.js takes `::127.0.0.1` for another address than `::7f00:1`. */
function canonical(address: string): string | null {
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : null;
  const url = `http://[${address}]`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : null;
}
