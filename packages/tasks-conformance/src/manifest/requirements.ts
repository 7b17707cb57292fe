import { CREATION } from './creation.ts';
import { INPUT } from './input.ts';
import { LIFE } from './life.ts';
import { MESSAGES } from './messages.ts';
import { NEGOTIATION } from './negotiation.ts';
import { READING } from './reading.ts';
import type { Requirement } from './requirement.ts';
import { RESULTS } from './results.ts';
import { SECURITY } from './security.ts';
import { TRANSPORT } from './transport.ts';

const ALL = [
  ...NEGOTIATION,
  ...CREATION,
  ...LIFE,
  ...READING,
  ...RESULTS,
  ...MESSAGES,
  ...INPUT,
  ...TRANSPORT,
  ...SECURITY,
] as const;

export type RequirementId = (typeof ALL)[number]['id'];

/** What 2025-11-25 asks of servers with tasks, in the order of a report. */
export const REQUIREMENTS: readonly (Requirement & { readonly id: RequirementId })[] = ALL;

const BY_ID = new Map(REQUIREMENTS.map((requirement) => [requirement.id, requirement]));

export function requirementOf(id: RequirementId): Requirement {
  const found = BY_ID.get(id);
  if (found === undefined) throw new Error(`no requirement ${id}`);
  return found;
}
