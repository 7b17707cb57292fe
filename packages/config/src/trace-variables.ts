import * as z from 'zod';
import { type Variable, variable } from './variable.ts';

const url = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });

/** Those of OpenTelemetry that switch traces on, and the most common others: its exporter reads them, and more, itself. */
export const TRACE_VARIABLES = {
  OTEL_TRACES_EXPORTER: variable(
    z.enum(['otlp', 'none']),
    null,
    'name',
    'otlp sends traces, none does not. Unset: they are sent when there is an endpoint.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    url,
    null,
    'URL',
    'Where traces go, by OTLP over HTTP in JSON, to /v1/traces below it. Unset, with OTEL_TRACES_EXPORTER=otlp: http://localhost:4318.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: variable(url, null, 'URL', 'The same with the whole path.'),
  OTEL_EXPORTER_OTLP_HEADERS: variable(
    z.string().min(1),
    null,
    'name=value pairs',
    'Headers of what is sent, comma-separated, such as a key of who receives it.',
  ),
  OTEL_SERVICE_NAME: variable(
    z.string().min(1),
    null,
    'name',
    'Who traces. Unset: longshore-api, longshore-worker.',
  ),
  OTEL_RESOURCE_ATTRIBUTES: variable(
    z.string().min(1),
    null,
    'name=value pairs',
    'What else is said of who traces, comma-separated, such as deployment.environment.name=staging.',
  ),
  OTEL_TRACES_SAMPLER: variable(
    z.enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ]),
    'parentbased_always_on',
    'name',
    'Which traces are kept. parentbased: as whoever called has decided, and by the rest of the name when nobody has.',
  ),
  OTEL_TRACES_SAMPLER_ARG: variable(
    z.coerce.number().min(0).max(1),
    '1',
    'share',
    'Of traceidratio: how many, from 0 to 1.',
  ),
  OTEL_SDK_DISABLED: variable(
    z.enum(['true', 'false']).transform((text) => text === 'true'),
    'false',
    'true, false',
    'true: no traces, whatever the others say.',
  ),
} as const satisfies Record<string, Variable>;
