import { useEffect } from 'react';
import { zone } from '../state/preferences.ts';
import { storeOf, useStore } from '../state/store.ts';
import { ageText, durationText, instantText } from '../state/time-text.ts';

const now = storeOf(Date.now());
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all that grows older on a page, stopped while nothing does. */
function useNow(): number {
  useEffect(() => {
    watchers += 1;
    if (watchers === 1) {
      now.set(Date.now());
      timer = setInterval(() => now.set(Date.now()), 1_000);
    }
    return () => {
      watchers -= 1;
      if (watchers === 0) clearInterval(timer);
    };
  }, []);
  return useStore(now);
}

/** An instant in the zone that was chosen, and how long ago it is in its title. */
export function Moment({ at, withDay = true }: { at: string; withDay?: boolean }) {
  const chosen = useStore(zone);
  return (
    <time dateTime={at} title={at}>
      {instantText(at, chosen, withDay)}
    </time>
  );
}

/** How long ago, or how soon. */
export function Age({ at }: { at: string }) {
  const chosen = useStore(zone);
  const ms = useNow() - Date.parse(at);
  return (
    <time dateTime={at} title={instantText(at, chosen)}>
      {ms >= -999 ? ageText(ms) : `in ${ageText(-ms)}`}
    </time>
  );
}

/** From one instant to the other, or until now. */
export function Span({ from, to }: { from: string; to: string | null }) {
  return to === null ? (
    <GrowingSpan from={from} />
  ) : (
    durationText(Date.parse(to) - Date.parse(from))
  );
}

function GrowingSpan({ from }: { from: string }) {
  // In whole seconds: a clock that runs shows no parts of them.
  return durationText(Math.floor(Math.max(0, useNow() - Date.parse(from)) / 1_000) * 1_000).replace(
    '.0 s',
    ' s',
  );
}
