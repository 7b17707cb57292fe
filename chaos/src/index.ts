export { check } from './check/check.ts';
export {
  GREEDS,
  type Greed,
  type GreedyTarget,
  startGreedyClient,
} from './clients/greedy-client.ts';
