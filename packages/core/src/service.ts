/**
 * Anything long-running. `start` resolves when the service works, `stop` when nothing of it is left.
 * Both may be called twice, and `stop` before `start`.
 */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}
