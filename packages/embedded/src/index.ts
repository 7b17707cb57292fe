export { findEmbeddedPostgres } from './find-embedded-postgres.ts';
export { freePort } from './free-port.ts';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './start-embedded-postgres.ts';
