export { type ApiGauges, ApiMetrics, type QueueStand } from './api-metrics.ts';
export { countedMaintenance } from './counted-maintenance.ts';
export type {
  Exposition,
  ProcessMetrics,
  SweptKind,
  TaskKind,
  ToolKind,
} from './process-metrics.ts';
export { type WorkerGauges, WorkerMetrics } from './worker-metrics.ts';
