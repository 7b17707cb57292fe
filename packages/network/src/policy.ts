/* What says where one may connect to, without what connects. */

export { type NetworkGrant, NetworkPolicy } from './network-policy.ts';
export { NetworkRefusal, type NetworkRefusalCode } from './network-refusal.ts';
