import type { CheckedOffer } from './plugin-report.ts';

/** What is new, other or gone in what a plugin offers, in words; as clients see it, so code alone is no change. */
export function describeChanges(
  before: readonly CheckedOffer[],
  now: readonly CheckedOffer[],
): string {
  const key = ({ kind, name }: CheckedOffer): string => `${kind} ${name}`;
  const old = new Map(before.map((offer) => [key(offer), offer]));
  const current = new Set(now.map(key));
  const changes = [
    ...now.flatMap((offer) => {
      const known = old.get(key(offer));
      if (known === undefined) return [`new ${key(offer)}`];
      return known.digest === offer.digest ? [] : [`changed ${key(offer)}`];
    }),
    ...before.filter((offer) => !current.has(key(offer))).map((offer) => `gone ${key(offer)}`),
  ];
  return changes.length === 0 ? 'the same tools with new code' : changes.join(', ');
}
