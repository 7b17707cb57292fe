// Says which Node.js is needed, and ends the process, before anything is loaded that an older one can not read: so
// in old syntax, and without anything but Node.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);
const needed = engines.node.replace('>=', '').split('.').map(Number);
const found = process.versions.node.split('.').map(Number);
if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  process.stderr.write(
    'longshore: Node.js ' +
      needed.join('.') +
      ' or newer is needed, this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ')\n',
  );
  process.exit(1);
}
