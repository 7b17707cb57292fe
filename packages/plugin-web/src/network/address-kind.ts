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

/** @param address of a socket, v4 or v6; IPv4-mapped IPv6 counts as the IPv4 it is */
export function addressKind(address: string): AddressKind {
  if (!ipaddr.isValid(address)) return 'forbidden';
  const parsed = ipaddr.process(address);
  if (METADATA_ADDRESSES.has(parsed.toString())) return 'forbidden';
  const range = parsed.range();
  if (range === 'unicast') return 'public';
  return PRIVATE_RANGES.has(range) ? 'private' : 'forbidden';
}
