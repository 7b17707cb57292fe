import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { traceWith } from './spans.ts';

export interface TracingOptions {
  /** Of whoever traces, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES say so: `longshore-api`. */
  readonly service: string;
  readonly version: string;
  readonly sampler: SamplerName;
  /** Share of the traces, for those samplers that take one. */
  readonly ratio: number;
}

export type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

/** What a process that is killed takes with it at most, in milliseconds. */
const EXPORT_EVERY_MS = 1_000;
/** Spans that wait; more are dropped. */
const MOST_WAITING = 20_000;
const MOST_AT_ONCE = 2_000;
const EXPORT_TIMEOUT_MS = 5_000;

/**
 * Begins to trace. Where to, and with which headers, the exporter reads from the standard variables (OTEL_EXPORTER_OTLP_*).
 *
 * @returns sends what is left, for some seconds at most, and ends it
 */
export function startTracing(options: TracingOptions): () => Promise<void> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          'service.name': options.service,
          'service.version': options.version,
          'process.pid': process.pid,
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(options),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ timeoutMillis: EXPORT_TIMEOUT_MS }),
        scheduledDelayMillis: EXPORT_EVERY_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
        maxQueueSize: MOST_WAITING,
        maxExportBatchSize: MOST_AT_ONCE,
      }),
    ],
  });
  traceWith(provider.getTracer('longshore', options.version));
  return async () => {
    traceWith(null);
    await provider.shutdown();
    context.disable();
  };
}

function samplerOf({ sampler, ratio }: TracingOptions): Sampler {
  const [, isParentBased, name = ''] = /^(parentbased_)?(\w+)$/.exec(sampler) ?? [];
  const root =
    name === 'always_off'
      ? new AlwaysOffSampler()
      : name === 'traceidratio'
        ? new TraceIdRatioBasedSampler(ratio)
        : new AlwaysOnSampler();
  return isParentBased === undefined ? root : new ParentBasedSampler({ root });
}
