import type { Phase, Range } from '@longshore/operator';
import { AUDIT_ACTIONS, PHASES, RANGES } from '@longshore/operator/words';
import { idIn, oneIn, type SearchValues, textIn, textsIn } from './search-text.ts';

const HOUR_MS = 3_600_000;
export const RANGE_MS: Readonly<Record<Range, number>> = {
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
};

/** The parts of an address that say which tasks are shown. */
export interface TaskSearch {
  readonly phase?: readonly Phase[] | undefined;
  readonly tool?: readonly string[] | undefined;
  readonly queue?: readonly string[] | undefined;
  readonly principal?: string | undefined;
  readonly worker?: string | undefined;
  readonly parent?: string | undefined;
  /** Made since so long ago. */
  readonly within?: Range | undefined;
  readonly text?: string | undefined;
  readonly cursor?: string | undefined;
}

export function taskSearchOf(values: SearchValues): TaskSearch {
  const phases = textsIn(values, 'phase');
  const known = PHASES.filter((phase) => phases?.includes(phase));
  const text = textIn(values, 'text');
  return {
    phase: known.length === 0 ? undefined : known,
    tool: textsIn(values, 'tool'),
    queue: textsIn(values, 'queue'),
    principal: idIn(values, 'principal'),
    worker: idIn(values, 'worker'),
    parent: idIn(values, 'parent'),
    within: oneIn(values, 'within', RANGES),
    text: text !== undefined && text.trim().length >= 2 ? text.slice(0, 200) : undefined,
    cursor: textIn(values, 'cursor')?.slice(0, 512),
  };
}

export const TASK_TABS = [
  'outcome',
  'arguments',
  'timeline',
  'batch',
  'children',
  'files',
] as const;
export type TaskTab = (typeof TASK_TABS)[number];

export const ITEM_STATES = ['all', 'done', 'failed'] as const;

export interface TaskPageSearch {
  readonly tab?: TaskTab | undefined;
  /** Of which of its batches, and which of the items. */
  readonly batch?: string | undefined;
  readonly items?: (typeof ITEM_STATES)[number] | undefined;
}

export function taskPageSearchOf(values: SearchValues): TaskPageSearch {
  return {
    tab: oneIn(values, 'tab', TASK_TABS),
    batch: textIn(values, 'batch')?.slice(0, 256),
    items: oneIn(values, 'items', ITEM_STATES),
  };
}

export interface OverviewSearch {
  readonly range?: Range | undefined;
}

export const overviewSearchOf = (values: SearchValues): OverviewSearch => ({
  range: oneIn(values, 'range', RANGES),
});

/** Of lists that come in pages and have no filters. */
export interface ListSearch {
  readonly cursor?: string | undefined;
}

export const listSearchOf = (values: SearchValues): ListSearch => ({
  cursor: textIn(values, 'cursor')?.slice(0, 512),
});

export interface ToolsSearch {
  /** In a name, title or description. */
  readonly text?: string | undefined;
}

export const toolsSearchOf = (values: SearchValues): ToolsSearch => ({
  text: textIn(values, 'text')?.slice(0, 200),
});

export const TOOL_TABS = ['run', 'about', 'schema'] as const;

export interface ToolSearch {
  readonly tab?: (typeof TOOL_TABS)[number] | undefined;
}

export const toolSearchOf = (values: SearchValues): ToolSearch => ({
  tab: oneIn(values, 'tab', TOOL_TABS),
});

export const ACCESS_TABS = ['keys', 'principals'] as const;

export interface AccessSearch extends ListSearch {
  readonly tab?: (typeof ACCESS_TABS)[number] | undefined;
}

export const accessSearchOf = (values: SearchValues): AccessSearch => ({
  ...listSearchOf(values),
  tab: oneIn(values, 'tab', ACCESS_TABS),
});

export interface AuditSearch extends ListSearch {
  readonly action?: (typeof AUDIT_ACTIONS)[number] | undefined;
  readonly principal?: string | undefined;
  readonly target?: string | undefined;
}

export const auditSearchOf = (values: SearchValues): AuditSearch => ({
  ...listSearchOf(values),
  action: oneIn(values, 'action', AUDIT_ACTIONS),
  principal: idIn(values, 'principal'),
  target: textIn(values, 'target')?.slice(0, 256),
});

export interface ApiSearch {
  /** Its `operationId`. */
  readonly operation?: string | undefined;
}

export const apiSearchOf = (values: SearchValues): ApiSearch => ({
  operation: textIn(values, 'operation')?.slice(0, 128),
});

export interface WebhookSearch extends ListSearch {
  /** Whose deliveries are shown. */
  readonly id?: string | undefined;
}

export const webhookSearchOf = (values: SearchValues): WebhookSearch => ({
  ...listSearchOf(values),
  id: idIn(values, 'id'),
});
