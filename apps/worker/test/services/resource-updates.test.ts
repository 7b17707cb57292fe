import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { ResourceUpdates } from '../../src/services/resource-updates.ts';
import { testBus } from '../bench/test-attempt.ts';

describe('ResourceUpdates', () => {
  it('publishes each resource once for many updates, and again for later ones', async () => {
    const bus = testBus();
    const updates = new ResourceUpdates(silentLogger);
    updates.updated('notes://early');
    updates.connect(bus);
    for (let n = 0; n < 100; n += 1) updates.updated(`notes://${n % 2}`);
    await waitFor(() => bus.published.length > 0, { what: 'the updates are published' });
    expect(bus.published).toEqual([
      { kind: 'resource-updated', uri: 'notes://0' },
      { kind: 'resource-updated', uri: 'notes://1' },
    ]);
    updates.updated('notes://0');
    await updates.close();
    expect(bus.published).toHaveLength(3);
    updates.updated('notes://late');
    await updates.close();
    expect(bus.published).toHaveLength(3);
  });

  it('takes nothing that is no URI, and says so', async () => {
    const bus = testBus();
    let warnings = 0;
    const warn = (): void => {
      warnings += 1;
    };
    const updates = new ResourceUpdates({ ...silentLogger, warn });
    updates.connect(bus);
    for (const wrong of [7, undefined, 'not a uri', `notes://${'x'.repeat(5_000)}`]) {
      updates.updated(wrong);
    }
    await updates.close();
    expect(bus.published).toEqual([]);
    expect(warnings).toBe(4);
  });
});
