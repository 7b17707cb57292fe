/*
 * For `node --import @longshore/plugin/typescript`: runs TypeScript on a Node.js that does not leave types out by
 * itself, which it does from 22.18 on.
 */

const stripping: unknown = Reflect.get(process.features, 'typescript');

if (stripping === undefined || stripping === false) {
  // @ts-expect-error: its declarations are no module.
  await import('jiti/register');
}
