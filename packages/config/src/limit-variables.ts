import { integer, type Variable, variable } from './variable.ts';

/** What one request, and one principal, may ask of an API. */
export const LIMIT_VARIABLES = {
  MAX_BODY_BYTES: variable(
    integer(1_024, 104_857_600),
    '4194304',
    'bytes',
    'Largest request body.',
  ),
  MAX_OPEN_STREAMS: variable(
    integer(1, 10_000),
    '1000',
    'streams',
    'Requests and streams of one principal held open at once by one API process, over all its sessions.',
  ),
  MAX_SESSIONS: variable(
    integer(0, 1_000_000_000),
    '10000',
    'sessions',
    'Sessions of one principal (2025-11-25 and before); those that are principals of their own have it together. A further one replaces the longest idle one, and is refused while all are in use. 0: as many as it likes.',
  ),
  RATE_LIMIT_PER_MINUTE: variable(
    integer(0, 1_000_000_000),
    '60000',
    'requests',
    'Requests one principal may send within a minute, to all API processes together. 0: as many as it likes.',
  ),
  MAX_QUEUED_TASKS: variable(
    integer(0, 1_000_000_000),
    '100000',
    'tasks',
    'Tasks of one principal that may wait for a worker; further calls are refused. 0: as many as it likes.',
  ),
  MAX_ARGUMENT_BYTES: variable(
    integer(2, 104_857_600),
    '4194304',
    'bytes',
    'Largest arguments of a call, as JSON in UTF-8.',
  ),
} as const satisfies Record<string, Variable>;
