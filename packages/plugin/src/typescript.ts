import { register } from 'node:module';

/*
 * For `node --import @longshore/plugin/typescript`, and for workers: runs TypeScript on a Node.js that does not leave
 * types out by itself, which it does from 22.18 on.
 */

const stripping: unknown = Reflect.get(process.features, 'typescript');

if (stripping === undefined || stripping === false) register('./strip-types.js', import.meta.url);
