export { ConfigError } from './config-error.ts';
export { type Config, loadConfig } from './load-config.ts';
export type { Variable } from './variable.ts';
export { VARIABLES, type VariableName } from './variables.ts';
