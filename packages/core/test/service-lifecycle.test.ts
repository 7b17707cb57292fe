import { describe, expect, it } from '@jest/globals';
import { ServiceLifecycle } from '../src/index.ts';

function setup(up: (signal: AbortSignal) => Promise<void> = async () => {}) {
  const steps: string[] = [];
  const service = new ServiceLifecycle({
    up: async (signal) => {
      steps.push('up');
      await up(signal);
    },
    down: async () => {
      steps.push('down');
    },
  });
  return { service, steps };
}

describe('ServiceLifecycle', () => {
  it('does nothing when stopped before its start', async () => {
    const { service, steps } = setup();
    await service.stop();
    expect(steps).toEqual([]);
  });

  it('starts and stops once, however often it is asked to', async () => {
    const { service, steps } = setup();
    await Promise.all([service.start(), service.start()]);
    await service.start();
    expect(service.isRunning).toBe(true);
    await Promise.all([service.stop(), service.stop()]);
    await service.stop();
    expect(service.isRunning).toBe(false);
    expect(steps).toEqual(['up', 'down']);
  });

  it('can be started again', async () => {
    const { service, steps } = setup();
    await service.start();
    void service.stop();
    await service.start();
    await service.stop();
    expect(steps).toEqual(['up', 'down', 'up', 'down']);
  });

  it('tells a start that it is to stop, and waits for it', async () => {
    const { service, steps } = setup(
      (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve());
        }),
    );
    const started = service.start();
    await Promise.resolve();
    await service.stop();
    await started;
    expect(steps).toEqual(['up', 'down']);
  });

  it('does not go up at all when it is stopped before its turn', async () => {
    const { service, steps } = setup();
    void service.start();
    await service.stop();
    expect(steps).not.toContain('up');
  });

  it('takes down what a failed start made, and can be started again', async () => {
    let failures = 1;
    const { service, steps } = setup(async () => {
      failures -= 1;
      if (failures === 0) throw new Error('no server');
    });
    await expect(service.start()).rejects.toThrow('no server');
    expect(service.isRunning).toBe(false);
    await service.start();
    await service.stop();
    expect(steps).toEqual(['up', 'down', 'up', 'down']);
  });
});
