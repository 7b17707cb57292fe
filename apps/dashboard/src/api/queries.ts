import type { CallOf } from '@longshore/operator';
import {
  infiniteQueryOptions,
  QueryClient,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query';
import { type AuditSearch, RANGE_MS, type TaskSearch } from '../state/searches.ts';
import { storeOf } from '../state/store.ts';
import { API, client, isProblem } from './client.ts';
import { isLive } from './connection.ts';
import { hasEnded } from './has-ended.ts';
import type { Range } from './types.ts';

/** Read again when an event says so, or every few seconds where figures move by themselves; never because a window got the focus. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 2_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/**
 * Reads again what is shown of these. What is just being read for the first time is read once more after that: its answer
 * may be of before the change, and `invalidateQueries` takes it for new.
 */
export function readAgain(queryKey: QueryKey = []): Promise<void> {
  const underWay = queryClient.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' });
  for (const query of underWay.filter(({ state }) => state.data === undefined)) {
    const again = () => queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
    void query.fetch().then(again, () => undefined);
  }
  return queryClient.invalidateQueries({ queryKey });
}

// Whoever is not logged in any more sees the form for it, at the same address.
queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type !== 'updated' || query.state.status !== 'error') return;
  if (isProblem(query.state.error, 401) && query.queryKey[0] !== 'me') forgetLogin();
});

export function forgetLogin(): void {
  if (queryClient.getQueryData(ME.queryKey) !== null) queryClient.setQueryData(ME.queryKey, null);
}

const EVERY_MS = 5_000;
const whileLive = (): number | false => (isLive() ? EVERY_MS : false);

/** At least a second, for clocks differ; at most a day, for timers overflow. */
const untilMs = (at: string): number =>
  Math.min(86_400_000, Math.max(1_000, Date.parse(at) - Date.now()));

/** Null: not logged in. */
export const ME = queryOptions({
  queryKey: ['me'],
  queryFn: () =>
    client('GET /me').catch((error: unknown) => {
      if (isProblem(error, 401)) return null;
      throw error;
    }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const OVERVIEW = queryOptions({
  queryKey: ['overview'],
  queryFn: () => client('GET /overview'),
  refetchInterval: whileLive,
});

export const statsOf = (query: {
  readonly range: Range;
  readonly tool?: string;
  readonly queue?: string;
}) =>
  queryOptions({
    queryKey: ['stats', query],
    queryFn: () => client('GET /stats', { query }),
    refetchInterval: whileLive,
    placeholderData: (before) => before,
  });

export type TaskFilter = CallOf<'POST /bulk'>['body']['filter'];
export type TaskQuery = NonNullable<CallOf<'GET /tasks'>['query']>;

/** What the tasks at an address have in common. */
export function taskFilterOf({ cursor: _, ...search }: TaskSearch): TaskFilter {
  return taskQueryOf(search);
}

/** What the API is asked for a page of tasks at an address. */
export function taskQueryOf({ within, ...search }: TaskSearch): TaskQuery {
  const filter = {
    ...search,
    createdAfter: within && new Date(Date.now() - RANGE_MS[within]).toISOString(),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** Tasks that were made since a list was read: it shows them when it is asked to. */
export const createdSince = storeOf(0);

/** Rows stay where they are until someone asks for others: api/live-tasks.ts brings them up to date. */
export const tasksOf = (search: TaskSearch) =>
  queryOptions({
    queryKey: ['tasks', search],
    queryFn: () => {
      createdSince.set(0);
      return client('GET /tasks', { query: taskQueryOf(search) });
    },
    staleTime: 30_000,
  });

export const countOf = ({ cursor: _, ...search }: TaskSearch) =>
  queryOptions({
    queryKey: ['count', search],
    queryFn: () => client('GET /tasks/count', { query: taskQueryOf(search) }),
    staleTime: 10_000,
  });

export const taskOf = (id: string) =>
  queryOptions({
    queryKey: ['task', id],
    queryFn: () => client('GET /tasks/{id}', { params: { id } }),
    // Once more when its time is over: nothing tells that a task was deleted.
    refetchInterval: ({ state: { data, error } }) =>
      isLive() && error === null && data?.expiresAt != null ? untilMs(data.expiresAt) : false,
  });

export const outcomeOf = (id: string) =>
  queryOptions({
    queryKey: ['outcome', id],
    queryFn: () => client('GET /tasks/{id}/outcome', { params: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** @param isOver nothing more is started, so what is shown is read again only until it has ended */
export const childrenOf = (id: string, isOver: boolean) =>
  infiniteQueryOptions({
    queryKey: ['children', id],
    queryFn: ({ pageParam }) =>
      client('GET /tasks', {
        query: { parent: id, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) =>
      isLive() && !(isOver && data?.pages.every(({ tasks }) => tasks.every(hasEnded)))
        ? 2_000
        : false,
  });

export const batchOf = (id: string, key: string, isOpen: boolean) =>
  queryOptions({
    // Read once more when it is over.
    queryKey: ['batch', id, key, isOpen],
    placeholderData: (before) => before,
    queryFn: () => client('GET /tasks/{id}/batch', { params: { id }, query: { key } }),
    refetchInterval: () => (isOpen && isLive() ? 2_000 : false),
  });

export const itemsOf = (id: string, key: string, status: 'all' | 'done' | 'failed') =>
  infiniteQueryOptions({
    queryKey: ['items', id, key, status],
    queryFn: ({ pageParam }) =>
      client('GET /tasks/{id}/items', {
        params: { id },
        query: { key, status, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

export const TOOLS = queryOptions({
  queryKey: ['tools'],
  queryFn: async () => (await client('GET /tools')).tools,
});

export const WORKERS = queryOptions({
  queryKey: ['workers'],
  queryFn: async () => (await client('GET /workers')).workers,
  refetchInterval: whileLive,
});

export const workerOf = (id: string) =>
  queryOptions({
    queryKey: ['workers', id],
    queryFn: () => client('GET /workers/{id}', { params: { id } }),
    refetchInterval: whileLive,
  });

export const QUEUES = queryOptions({
  queryKey: ['queues'],
  queryFn: async () => (await client('GET /queues')).queues,
  refetchInterval: whileLive,
});

const pageQuery = (cursor: string | undefined) => ({
  query: cursor === undefined ? {} : { cursor },
});

export const schedulesOf = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['schedules', cursor],
    queryFn: () => client('GET /schedules', pageQuery(cursor)),
  });

export const OPENAPI = queryOptions({
  queryKey: ['openapi'],
  queryFn: async (): Promise<unknown> =>
    (await fetch(`${API}/openapi.json`, { signal: AbortSignal.timeout(10_000) })).json(),
  staleTime: Number.POSITIVE_INFINITY,
});

export const WEBHOOKS = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async () => (await client('GET /webhooks')).webhooks,
});

export const deliveriesOf = (id: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['deliveries', id, cursor],
    queryFn: () =>
      client('GET /webhooks/{id}/deliveries', { params: { id }, ...pageQuery(cursor) }),
    refetchInterval: whileLive,
  });

export const auditOf = (search: AuditSearch) =>
  queryOptions({
    queryKey: ['audit', search],
    queryFn: () =>
      client('GET /audit', {
        query: Object.fromEntries(
          Object.entries(search).filter(([, value]) => value !== undefined),
        ),
      }),
  });

export const bulkOf = (id: string) =>
  queryOptions({
    queryKey: ['bulk', id],
    queryFn: async () => (await client('GET /bulk/{id}', { params: { id } })).action,
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.state === 'running' ? 1_000 : false,
  });

export const principalsOf = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['principals', cursor],
    queryFn: () => client('GET /principals', pageQuery(cursor)),
  });

export const KEYS = queryOptions({
  queryKey: ['keys'],
  queryFn: async () => (await client('GET /keys')).keys,
});
