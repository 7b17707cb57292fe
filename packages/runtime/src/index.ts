export { configuredTracing } from './configured-tracing.ts';
export { createLogger, type RootLogger } from './create-logger.ts';
export { loggedError } from './logged-error.ts';
export { newKeySecret } from './new-key-secret.ts';
export { osUserName } from './os-user-name.ts';
export { LIFE_LEVEL, runMain } from './run-main.ts';
export { StartedServices } from './started-services.ts';
export { listenForStopSignals, type StopWishes } from './stop-signals.ts';
export { tokenCheck } from './token-check.ts';
