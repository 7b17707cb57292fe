import type { TaskSummary } from './types.ts';

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

export const hasEnded = ({ phase }: Pick<TaskSummary, 'phase'>): boolean => ENDED.has(phase);
