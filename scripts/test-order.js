// Which test files `npm test` runs first, for jest: those of whole processes, so that what is left at the end is short.
// Jest alone goes by the size of the files where it knows no times of an earlier run.
import Sequencer from '@jest/test-sequencer';

const FIRST = ['e2e', 'integration', 'unit'];

const rankOf = ({ context }) => FIRST.indexOf(context.config.displayName?.name);

export default class TestOrder extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}
