import type { Phase } from '../api/types.ts';
import { ICON_PATHS, PHASE_LOOKS } from '../state/looks.ts';

export function Icon({ name, size = 14 }: { name: string; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={ICON_PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** A state by its icon, its word and its colour: never by its colour alone. */
export function PhaseMark({ phase }: { phase: Phase }) {
  const { word, icon, color } = PHASE_LOOKS[phase];
  return (
    <span className="phase" style={{ color }}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
