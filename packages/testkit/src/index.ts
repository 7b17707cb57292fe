export {
  type CallOptions,
  type CallResult,
  type ClientAnswers,
  EngineClient,
  type Progress,
} from './engine-client.ts';
export { type Engine, type EngineOptions, startEngine } from './start-engine.ts';
