export { type PostgresTap, startPostgresTap } from './postgres-tap.ts';
export { type RoundRobinProxy, startRoundRobinProxy } from './round-robin-proxy.ts';
