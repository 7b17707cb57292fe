import { describe, expect, it } from '@jest/globals';
import { ErrorCode } from 'bullmq';
import { type BullQueue, bullQueue } from '../src/jobs/bull-driver.ts';

describe('a job scheduler', () => {
  const failing = (code: number): BullQueue => {
    const error = Object.assign(new Error('refused'), { code });
    const upsertJobScheduler = (): Promise<never> => Promise.reject(error);
    return bullQueue({ upsertJobScheduler } as unknown as Parameters<typeof bullQueue>[0]);
  };

  it.each([ErrorCode.SchedulerJobIdCollision, ErrorCode.SchedulerJobSlotsBusy])(
    'is there when the job of its next time is: code %i',
    async (code) => {
      await expect(failing(code).repeat('id', '* * * * *', 'UTC')).resolves.toBeUndefined();
    },
  );

  it('is not there when the queue refuses it otherwise', async () => {
    await expect(failing(ErrorCode.JobNotExist).repeat('id', '* * * * *', 'UTC')).rejects.toThrow(
      'refused',
    );
  });
});
