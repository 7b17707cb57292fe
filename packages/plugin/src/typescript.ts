/*
 * For `node --import @longshore/plugin/typescript`: runs TypeScript on a Node.js that does not leave types out by
 * itself, which it does from 22.18 on.
 */

const stripping: unknown = Reflect.get(process.features, 'typescript');

/** Not named in the import: its declarations are no module. */
const LOADER: string = 'jiti/register';

if (stripping === undefined || stripping === false) await import(LOADER);
