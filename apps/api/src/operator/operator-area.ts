import type { Router } from 'express';
import type { HostGuard } from '../edge/host-guard.ts';
import { BulkRunner } from './bulk-runner.ts';
import { dashboardPages } from './dashboard-pages.ts';
import type { OperatorContext } from './operation.ts';
import { type OperatorEndpointOptions, operatorEndpoint } from './operator-endpoint.ts';
import { OperatorStream } from './operator-stream.ts';

export interface OperatorAreaOptions
  extends Omit<OperatorEndpointOptions, 'stream' | 'guard' | 'operators'> {
  readonly operators: Omit<OperatorContext, 'pokeBulk'>;
  /** Directory of the built files of apps/dashboard. */
  readonly dashboard: string;
}

/** What is there for operators. */
export interface OperatorArea {
  /** Below /api/v1. */
  readonly api: Router;
  /** Below /dashboard. */
  readonly dashboard: Router;
  stop(): Promise<void>;
}

export async function openOperatorArea(
  options: OperatorAreaOptions,
  guard: HostGuard,
): Promise<OperatorArea> {
  const { dashboard } = options;
  const { store, bus, catalogue, log } = options.operators;
  const stream = new OperatorStream({ store, bus, catalogue, log });
  await stream.start();
  const operators = { ...options.operators, pokeBulk: () => bulk.poke() };
  const bulk = new BulkRunner(operators);
  await bulk.start();
  return {
    api: operatorEndpoint({ ...options, operators, guard, stream }),
    dashboard: dashboardPages(guard, dashboard),
    stop: async () => {
      await bulk.stop();
      await stream.stop();
    },
  };
}
