import { durationText } from './time-text.ts';

/** A count as it stood at an instant, in ms since 1970. */
export interface Sample {
  readonly at: number;
  readonly count: number;
}

/** Looked at for the rate of now. */
const WINDOW_MS = 30_000;

export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const latest = samples.at(-1);
  if (latest !== undefined && (sample.at <= latest.at || sample.count < latest.count))
    return samples;
  return [...samples.filter(({ at }) => at > sample.at - WINDOW_MS), sample];
}

/** A second; null: not enough was seen. */
export function rateOf(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < 1_000) return null;
  return ((last.count - first.count) * 1_000) / (last.at - first.at);
}

/** Such as `7 to 9 min`: between the pace of all that was seen and that of its last half. */
export function timeLeftText(left: number, samples: readonly Sample[]): string {
  const paces = [rateOf(samples), rateOf(samples.slice(Math.floor(samples.length / 2)))];
  const times = paces
    .filter((pace): pace is number => pace !== null && pace > 0)
    .map((pace) => (left * 1_000) / pace)
    .sort((a, b) => a - b);
  const [soonest, latest] = [times[0], times.at(-1)];
  if (soonest === undefined || latest === undefined) return 'an unknown time';
  const texts = [durationText(soonest), durationText(latest)];
  return texts[0] === texts[1] ? `about ${texts[0]}` : `${texts[0]} to ${texts[1]}`;
}
