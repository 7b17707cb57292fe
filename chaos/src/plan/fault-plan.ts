import { GREEDS, type Greed } from '../clients/greedy-client.ts';
import { type Random, seededRandom } from './random.ts';

/** Processes by index: `api-0`, `worker-2`. */
export type AppName = `api-${number}` | `worker-${number}`;

/** Connections by who opened them and to whom; `clients` are those of all clients to one API. */
export type LinkName =
  | `${AppName}>postgres`
  | `${AppName}>redis`
  | `clients>api-${number}`
  | '*>postgres'
  | '*>redis';

export type Fault =
  /** SIGKILL, started again after `durationMs`. */
  | { readonly kind: 'kill'; readonly target: AppName; readonly durationMs: number }
  /** SIGSTOP, SIGCONT after `durationMs`. */
  | { readonly kind: 'freeze'; readonly target: AppName; readonly durationMs: number }
  | { readonly kind: 'redis-flush' }
  /** SIGTERM, which writes what it has, or SIGKILL; started again after `durationMs`. */
  | { readonly kind: 'redis-restart' | 'redis-kill'; readonly durationMs: number }
  /** Fast shutdown, or SIGKILL of the postmaster and all its backends; started again after `durationMs`. */
  | { readonly kind: 'postgres-restart' | 'postgres-kill'; readonly durationMs: number }
  /** Nothing gets through for `durationMs`, then everything that was held back. */
  | { readonly kind: 'stall'; readonly target: LinkName; readonly durationMs: number }
  /** All connections break at once. */
  | { readonly kind: 'reset'; readonly target: LinkName }
  /** Somebody with a key of his own takes all he can get of one API, for `durationMs`. */
  | {
      readonly kind: 'greed';
      readonly target: `clients>api-${number}`;
      readonly greed: Greed;
      readonly durationMs: number;
    }
  /** Each piece of data takes `delayMs` longer, for `durationMs`. */
  | {
      readonly kind: 'delay';
      readonly target: LinkName;
      readonly delayMs: number;
      readonly durationMs: number;
    };

export type FaultKind = Fault['kind'];

export type PlannedFault = Fault & {
  /** Milliseconds from the start of the load. */
  readonly atMs: number;
};

const WEIGHTS: Readonly<Record<FaultKind, number>> = {
  kill: 22,
  freeze: 20,
  'redis-flush': 8,
  'redis-restart': 4,
  'redis-kill': 6,
  'postgres-restart': 5,
  'postgres-kill': 5,
  stall: 12,
  reset: 12,
  delay: 8,
  greed: 10,
};

export interface FaultOptions {
  readonly seed: number;
  readonly durationMs: number;
  /** Average pause between two faults, in milliseconds. */
  readonly everyMs: number;
  readonly apis: number;
  readonly workers: number;
}

/** Apart from the sequence of the load: a longer load keeps the faults it had. */
const SEED_OFFSET = 0x5f3759df;

/** The first one comes when there is something to break. */
const FIRST_MS = 2_000;

/** @returns the same faults for the same options, in the order of their times */
export function planFaults(options: FaultOptions): PlannedFault[] {
  const { durationMs, everyMs, apis, workers } = options;
  const random = seededRandom(options.seed + SEED_OFFSET);
  const names = <N extends string>(name: N, count: number): `${N}-${number}`[] =>
    Array.from({ length: count }, (_, index) => `${name}-${index}` as const);
  const apps: AppName[] = [...names('api', apis), ...names('worker', workers)];
  const toApis = names('clients>api', apis);
  const links: LinkName[] = [
    '*>postgres',
    '*>redis',
    ...apps.flatMap((app): LinkName[] => [`${app}>postgres`, `${app}>redis`]),
    ...toApis,
  ];
  const faults: PlannedFault[] = [];
  for (let atMs = FIRST_MS; atMs < durationMs; atMs += random.int(everyMs / 2, everyMs * 1.5)) {
    faults.push({ atMs: Math.round(atMs), ...planFault(random, { apps, links, toApis }) });
  }
  return faults;
}

function planFault(
  random: Random,
  {
    apps,
    links,
    toApis,
  }: {
    readonly apps: readonly AppName[];
    readonly links: readonly LinkName[];
    readonly toApis: readonly `clients>api-${number}`[];
  },
): Fault {
  const kind = random.weighted(WEIGHTS);
  switch (kind) {
    case 'kill':
      return { kind, target: random.pick(apps), durationMs: random.int(0, 3_000) };
    case 'freeze':
      return { kind, target: random.pick(apps), durationMs: random.int(300, 8_000) };
    case 'redis-flush':
      return { kind };
    case 'redis-restart':
    case 'redis-kill':
      return { kind, durationMs: random.int(0, 5_000) };
    case 'postgres-restart':
    case 'postgres-kill':
      return { kind, durationMs: random.int(0, 4_000) };
    case 'stall':
      return { kind, target: random.pick(links), durationMs: random.int(300, 8_000) };
    case 'reset':
      return { kind, target: random.pick(links) };
    case 'greed':
      return {
        kind,
        target: random.pick(toApis),
        greed: random.pick(GREEDS),
        durationMs: random.int(1_000, 5_000),
      };
    case 'delay':
      return {
        kind,
        target: random.pick(links),
        delayMs: random.int(20, 400),
        durationMs: random.int(1_000, 8_000),
      };
  }
}
