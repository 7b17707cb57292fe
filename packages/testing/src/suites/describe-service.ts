import type { Service } from '@longshore/core';
import { jestGlobals } from '../jest-globals.ts';

const QUICK_CYCLES = 20;

/**
 * The tests every `Service` passes: start and stop in any order and number, at any pace. Leaks show as a
 * test file that does not end.
 *
 * @param make a new service, not started
 */
export function describeService(name: string, make: () => Service | Promise<Service>): void {
  const { describe, expect, it } = jestGlobals();
  describe(`${name}: start and stop`, () => {
    it('can be stopped before it was started', async () => {
      const service = await make();
      await expect(service.stop()).resolves.toBeUndefined();
    });

    it('starts once when started twice', async () => {
      const service = await make();
      try {
        await Promise.all([service.start(), service.start()]);
        await expect(service.start()).resolves.toBeUndefined();
      } finally {
        await service.stop();
      }
    });

    it('stops once when stopped twice', async () => {
      const service = await make();
      await service.start();
      await Promise.all([service.stop(), service.stop()]);
      await expect(service.stop()).resolves.toBeUndefined();
    });

    it('can be stopped while it starts', async () => {
      const service = await make();
      const started = service.start().catch((error: unknown) => error);
      await expect(service.stop()).resolves.toBeUndefined();
      await started;
      await expect(service.stop()).resolves.toBeUndefined();
    });

    it(`survives ${QUICK_CYCLES} quick cycles`, async () => {
      let cycles = 0;
      for (; cycles < QUICK_CYCLES; cycles += 1) {
        const service = await make();
        await service.start();
        await service.stop();
      }
      expect(cycles).toBe(QUICK_CYCLES);
    }, 60_000);
  });
}
