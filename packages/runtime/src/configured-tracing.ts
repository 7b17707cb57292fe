import type { Config } from '@longshore/config';
import { type Logger, withDeadline } from '@longshore/core';

/** Sending what is left when a process ends, in milliseconds. */
const FLUSH_MS = 3_000;

/**
 * Begins to trace when the variables of OpenTelemetry say so. Nothing of its SDK is loaded otherwise.
 *
 * @returns ends it, within some seconds; never rejects
 */
export async function configuredTracing(
  config: Config,
  options: { readonly service: string; readonly version: string; readonly log: Logger },
): Promise<() => Promise<void>> {
  if (!isWanted(config)) return async () => {};
  const { startTracing } = await import('@longshore/tracing/sdk');
  const stop = startTracing({
    ...options,
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
  });
  return async () => {
    try {
      await withDeadline(stop(), FLUSH_MS, () => new Error('no answer'));
    } catch (err) {
      options.log.warn({ err }, 'the last spans could not be sent');
    }
  };
}

function isWanted(config: Config): boolean {
  if (config.OTEL_SDK_DISABLED || config.OTEL_TRACES_EXPORTER === 'none') return false;
  return (
    config.OTEL_TRACES_EXPORTER === 'otlp' ||
    config.OTEL_EXPORTER_OTLP_ENDPOINT !== null ||
    config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== null
  );
}
