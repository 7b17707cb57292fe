import { expect, it } from '@jest/globals';
import { nearNames } from '../../src/client/tools.ts';

const NAMES = ['text_count', 'text_chunk', 'data_query', 'batch'];

it.each([
  ['text_cuont', ['text_count', 'text_chunk']],
  ['TEXT_CHUNK', ['text_chunk', 'text_count']],
  ['query', ['data_query']],
  ['text', ['text_chunk', 'text_count']],
  ['weather', []],
])('for %s there are %j', (wanted, near) => {
  expect(nearNames(wanted, NAMES)).toEqual(near);
});
