import type { Access, PrincipalLimits } from '@longshore/core';

/** What the principal behind a request may use. */
export type LimitsOf = (access: Access) => PrincipalLimits;

/**
 * @param defaults of the configuration, wherever the credential says nothing else
 * @returns a function that remembers its answers for as long as their access is in use
 */
export function limitsOver(defaults: PrincipalLimits): LimitsOf {
  const known = new WeakMap<Access, PrincipalLimits>();
  return (access) => {
    const found = known.get(access);
    if (found !== undefined) return found;
    const limits = { ...defaults, ...access.limits };
    known.set(access, limits);
    return limits;
  };
}
