export { check } from './check/check.ts';
