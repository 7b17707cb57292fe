import { createContext, useContext } from 'react';
import type { Me } from '../api/types.ts';

export const MeContext = createContext<Me | null>(null);

export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === null) throw new Error('a page is shown to nobody');
  return me;
}

/** What this needs beyond the tasks of one's own; null: they have it. */
export const noOperator = ({ operates }: Me): string | null =>
  operates ? null : 'Needs the scope ops:write, which this key or token does not have.';

/** May change their own tasks, or those of all. */
export const noWriter = ({ operates, scopes }: Me): string | null =>
  operates || scopes === null || scopes.includes('tasks:write')
    ? null
    : 'Needs the scope tasks:write, which this key or token does not have.';
