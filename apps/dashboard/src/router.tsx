import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { NotFound } from './pages/not-found.tsx';
import { Failure } from './parts/states.tsx';
import { Shell } from './shell.tsx';
import { parseSearchText, searchTextOf } from './state/search-text.ts';
import {
  accessSearchOf,
  apiSearchOf,
  auditSearchOf,
  listSearchOf,
  overviewSearchOf,
  taskPageSearchOf,
  taskSearchOf,
  toolSearchOf,
  toolsSearchOf,
  webhookSearchOf,
} from './state/searches.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const at = { getParentRoute: () => root };

const overview = createRoute({
  ...at,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview.tsx'), 'OverviewPage'),
  validateSearch: overviewSearchOf,
});
const tasks = createRoute({
  ...at,
  path: '/tasks',
  component: lazyRouteComponent(() => import('./pages/tasks.tsx'), 'TasksPage'),
  validateSearch: taskSearchOf,
});
const task = createRoute({
  ...at,
  path: '/tasks/$id',
  component: lazyRouteComponent(() => import('./pages/task.tsx'), 'TaskPage'),
  validateSearch: taskPageSearchOf,
});
const tools = createRoute({
  ...at,
  path: '/tools',
  component: lazyRouteComponent(() => import('./pages/tools.tsx'), 'ToolsPage'),
  validateSearch: toolsSearchOf,
});
const tool = createRoute({
  ...at,
  path: '/tools/$name',
  component: lazyRouteComponent(() => import('./pages/tool.tsx'), 'ToolPage'),
  validateSearch: toolSearchOf,
});
const workers = createRoute({
  ...at,
  path: '/workers',
  component: lazyRouteComponent(() => import('./pages/workers.tsx'), 'WorkersPage'),
});
const worker = createRoute({
  ...at,
  path: '/workers/$id',
  component: lazyRouteComponent(() => import('./pages/worker.tsx'), 'WorkerPage'),
});
const queues = createRoute({
  ...at,
  path: '/queues',
  component: lazyRouteComponent(() => import('./pages/queues.tsx'), 'QueuesPage'),
});
const schedules = createRoute({
  ...at,
  path: '/schedules',
  component: lazyRouteComponent(() => import('./pages/schedules.tsx'), 'SchedulesPage'),
  validateSearch: listSearchOf,
});
const access = createRoute({
  ...at,
  path: '/access',
  component: lazyRouteComponent(() => import('./pages/access.tsx'), 'AccessPage'),
  validateSearch: accessSearchOf,
});

const audit = createRoute({
  ...at,
  path: '/audit',
  component: lazyRouteComponent(() => import('./pages/audit.tsx'), 'AuditPage'),
  validateSearch: auditSearchOf,
});

const api = createRoute({
  ...at,
  path: '/api',
  component: lazyRouteComponent(() => import('./pages/api.tsx'), 'ApiPage'),
  validateSearch: apiSearchOf,
});

const webhooks = createRoute({
  ...at,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/webhooks.tsx'), 'WebhooksPage'),
  validateSearch: webhookSearchOf,
});

export const router = createRouter({
  routeTree: root.addChildren([
    ...[overview, tasks, task, tools, tool],
    ...[workers, worker, queues, schedules, access, webhooks, audit, api],
  ]),
  basepath: '/dashboard',
  parseSearch: parseSearchText,
  stringifySearch: searchTextOf,
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultErrorComponent: ({ error }) => <Failure error={error} />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** Cursors of the newer pages of this list, the newest first. */
    trail?: readonly (string | undefined)[];
  }
}
