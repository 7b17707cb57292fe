import type { Pause, Paused, PauseStore, PrincipalId, WorkerId } from '@longshore/core';
import * as z from 'zod';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { Prisma } from '../generated/client.ts';
import { isUuid } from '../rows/is-uuid.ts';

const Row = z.object({
  pauses: z.array(z.object({ kind: z.enum(['queue', 'tool']), name: z.string() })),
  draining: z.boolean(),
});

export class PostgresPauseStore implements PauseStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async read(worker: WorkerId | null): Promise<Paused> {
    const [row] = await this.#runner.run({
      name: 'read-pauses',
      row: Row,
      sql: Prisma.sql`
        SELECT coalesce((SELECT json_agg(json_build_object('kind', p.kind, 'name', p.name)) FROM pauses AS p), '[]') AS pauses,
          EXISTS (SELECT FROM workers AS w WHERE w.id = ${worker}::uuid AND w.drain_at IS NOT NULL) AS draining`,
    });
    return { pauses: row?.pauses ?? [], isDraining: row?.draining ?? false };
  }

  async pause({ kind, name }: Pause, by: PrincipalId): Promise<void> {
    await this.#runner.ask('pause', (prisma) =>
      prisma.pause.createMany({ data: [{ kind, name, pausedBy: by }], skipDuplicates: true }),
    );
  }

  async resume({ kind, name }: Pause): Promise<void> {
    await this.#runner.ask('resume', (prisma) =>
      prisma.pause.deleteMany({ where: { kind, name } }),
    );
  }

  async setDraining(worker: WorkerId, isDraining: boolean): Promise<boolean> {
    if (!isUuid(worker)) return false;
    const drainAt = isDraining ? await this.#runner.now() : null;
    const { count } = await this.#runner.ask('drain-worker', (prisma) =>
      prisma.worker.updateMany({ where: { id: worker }, data: { drainAt } }),
    );
    return count > 0;
  }
}
