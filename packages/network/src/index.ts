export { createGuardedAgent, type Resolve, resolveByDns } from './guarded-agent.ts';
export { type NetworkGrant, NetworkPolicy } from './network-policy.ts';
export { NetworkRefusal, type NetworkRefusalCode } from './network-refusal.ts';
