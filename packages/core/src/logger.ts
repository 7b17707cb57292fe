/** What packages log through; apps pass pino, which fits. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const ignore = (): void => {};

/** For callers that have no logger, such as scripts. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
