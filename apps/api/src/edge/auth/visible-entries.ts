import { type Access, admits } from '@longshore/core';

/** Which tools a caller gets to see: those it may call. */
export function toolFilter({ scopes }: Access): (tool: { readonly name: string }) => boolean {
  return scopes === null ? everything : ({ name }) => admits(scopes, `tools:${name}`);
}

/** All or nothing of a list that one scope admits. */
export function scopeFilter({ scopes }: Access, needed: string): () => boolean {
  if (scopes === null) return everything;
  const isAdmitted = admits(scopes, needed);
  return () => isAdmitted;
}

function everything(): boolean {
  return true;
}
