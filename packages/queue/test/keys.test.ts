import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  busChannel,
  checkPrefix,
  DEFAULT_PREFIX,
  isPermanentKey,
  queueName,
} from '../src/connections/keys.ts';

describe('names', () => {
  it('are what operators see', () => {
    expect(DEFAULT_PREFIX).toBe('longshore');
    expect(queueName('longshore', 'images')).toBe('longshore-images');
    expect(busChannel('longshore', 'catalogue')).toBe('longshore:catalogue');
  });

  it('fit into a Postgres channel, and the usual ones are readable', () => {
    const session = `session:${randomUUID()}`;
    expect(busChannel('longshore', session)).toBe(`longshore:${session}`);
    for (const topic of [session, 'x'.repeat(500), '€'.repeat(20)]) {
      for (const prefix of ['longshore', 'a'.repeat(40)]) {
        expect(Buffer.byteLength(busChannel(prefix, topic))).toBeLessThanOrEqual(63);
      }
    }
    expect(busChannel('p', 'x'.repeat(500))).not.toBe(busChannel('p', 'x'.repeat(501)));
  });

  it.each(['', 'Caps', 'a:b', '1st', 'a'.repeat(41), 'a b'])('refuse the prefix %j', (prefix) => {
    expect(() => checkPrefix(prefix)).toThrow(RangeError);
  });

  it.each([
    ['longshore:longshore-work:meta', true],
    ['longshore:longshore-work:events', true],
    ['longshore:longshore-work:wait', false],
    ['longshore:longshore-work:0b5f:lock', false],
    ['longshore:longshore-work:meta:x', false],
    ['other:longshore-work:meta', false],
    ['longshore:meta', false],
  ])('know that %s is permanent: %s', (key, isPermanent) => {
    expect(isPermanentKey('longshore', key)).toBe(isPermanent);
  });
});
