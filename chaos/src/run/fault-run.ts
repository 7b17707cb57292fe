import { setTimeout as sleep } from 'node:timers/promises';
import { startGreedyClient } from '../clients/greedy-client.ts';
import type { Fault, LinkName, PlannedFault } from '../plan/fault-plan.ts';
import type { ChaosSystem } from '../system/chaos-system.ts';
import type { ManagedApp } from '../system/managed-app.ts';
import type { TcpLink } from '../system/tcp-link.ts';

/**
 * Causes the planned faults at their times. Faults of one thing come one after the other, when they would
 * overlap; those of different things overlap as planned. Resolves when everything is well again.
 *
 * @param onFault told when each begins
 */
export async function runFaults(
  plan: readonly PlannedFault[],
  system: ChaosSystem,
  onFault: (fault: PlannedFault) => void,
): Promise<void> {
  const startedAt = performance.now();
  const queues = new Map<string, Promise<void>>();
  for (const fault of plan) {
    const waitMs = fault.atMs - (performance.now() - startedAt);
    if (waitMs > 0) await sleep(waitMs);
    const thing = thingOf(fault);
    const turn = (queues.get(thing) ?? Promise.resolve()).then(async () => {
      onFault(fault);
      await cause(fault, system);
    });
    queues.set(thing, turn);
    // Reported by the `all` below; until then nobody else looks at it.
    turn.catch(() => {});
  }
  await Promise.all(queues.values());
}

function thingOf(fault: Fault): string {
  if ('target' in fault) return fault.target;
  return fault.kind.startsWith('redis') ? 'redis' : 'postgres';
}

async function cause(fault: Fault, system: ChaosSystem): Promise<void> {
  const { postgres, redis } = system;
  switch (fault.kind) {
    case 'kill': {
      const app = appOf(system, fault.target);
      await app.kill();
      await sleep(fault.durationMs);
      return app.start();
    }
    case 'freeze': {
      const app = appOf(system, fault.target);
      app.freeze();
      await sleep(fault.durationMs);
      return app.thaw();
    }
    case 'redis-flush':
      return redis.flush();
    case 'redis-restart':
    case 'redis-kill':
      system.routeRedis(null);
      await (fault.kind === 'redis-kill' ? redis.kill() : redis.stop());
      await sleep(fault.durationMs);
      await redis.start();
      return system.routeRedis(redis.port);
    case 'postgres-restart':
    case 'postgres-kill':
      system.routePostgres(null);
      await (fault.kind === 'postgres-kill' ? postgres.kill() : postgres.stop());
      await sleep(fault.durationMs);
      await postgres.start();
      return system.routePostgres(postgres.port);
    case 'stall':
      return during(fault.durationMs, linksOf(system, fault.target), {
        begin: (link) => link.stall(),
        end: (link) => link.resume(),
      });
    case 'reset':
      for (const link of linksOf(system, fault.target)) link.reset();
      return;
    case 'greed': {
      const url = system.urls[Number(fault.target.slice('clients>api-'.length))];
      if (url === undefined) throw new Error(`no link ${fault.target}`);
      const { key } = system.greedy;
      const greedy = startGreedyClient(fault.greed, {
        url,
        key,
        taskId: null,
        slow: { name: 'chaos_sleep', arguments: { value: 'greedy', sleepMs: 60_000 } },
      });
      await sleep(fault.durationMs);
      return greedy.stop();
    }
    case 'delay':
      return during(fault.durationMs, linksOf(system, fault.target), {
        begin: (link) => link.delay(fault.delayMs),
        end: (link) => link.delay(0),
      });
  }
}

async function during(
  durationMs: number,
  links: readonly TcpLink[],
  { begin, end }: { begin: (link: TcpLink) => void; end: (link: TcpLink) => void },
): Promise<void> {
  for (const link of links) begin(link);
  await sleep(durationMs);
  for (const link of links) end(link);
}

function appOf(system: ChaosSystem, name: Extract<Fault, { kind: 'kill' }>['target']): ManagedApp {
  const app = system.apps.get(name);
  if (app === undefined) throw new Error(`no process ${name}`);
  return app;
}

function linksOf(system: ChaosSystem, name: LinkName): TcpLink[] {
  const links = system.linksOf(name);
  if (links.length === 0) throw new Error(`no link ${name}`);
  return links;
}
