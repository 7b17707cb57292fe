const KEY = /^[A-Za-z0-9-]{2,200}$/;

/**
 * Keys become paths and addresses: nothing but ids gets there.
 * @throws {TypeError}
 */
export function checkKey(key: string): string {
  if (!KEY.test(key))
    throw new TypeError('a key of a file has 2 to 200 characters of [A-Za-z0-9-]');
  return key;
}
