export { ConfigError } from './config-error.ts';
export { type Config, loadConfig } from './load-config.ts';
export { VARIABLES, type Variable, type VariableName } from './variables.ts';
