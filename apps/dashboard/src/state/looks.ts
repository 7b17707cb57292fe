import type { PHASES } from '@longshore/operator/words';

/** Strokes in a square of 16. */
export const ICON_PATHS: Readonly<Record<string, string>> = {
  clock: 'M8 4.5V8l2.5 1.5M8 2a6 6 0 1 0 .01 0',
  ready: 'M2.5 8h8M7.5 4.5 11 8l-3.5 3.5M13.5 3.5v9',
  again: 'M3 8a5 5 0 1 1 1.6 3.7M3 12.5V9.2h3.3',
  play: 'M5 3.5v9l7-4.5z',
  question: 'M5.8 6.2a2.3 2.3 0 1 1 3.4 2c-.8.5-1.2.9-1.2 1.8M8 12.4v.2M8 1.8a6.2 6.2 0 1 0 .01 0',
  check: 'M3 8.5 6.5 12 13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  slash: 'M3.8 12.2l8.4-8.4M8 2a6 6 0 1 0 .01 0',
  sun: 'M8 5.2a2.8 2.8 0 1 0 .01 0M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  moon: 'M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6z',
  auto: 'M8 2a6 6 0 1 0 .01 0M8 2v12M8 5h5M8 8h6M8 11h5',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.1M6.5 6.5h.1M9 6.5h.1M11.5 6.5h.1M4.5 9.5h7',
};

export interface Look {
  readonly word: string;
  readonly icon: string;
  readonly color: string;
}

export const PHASE_LOOKS: Readonly<Record<(typeof PHASES)[number], Look>> = {
  waiting: { word: 'Waiting', icon: 'clock', color: 'var(--quiet)' },
  ready: { word: 'Ready', icon: 'ready', color: 'var(--working)' },
  retrying: { word: 'Retrying', icon: 'again', color: 'var(--working)' },
  running: { word: 'Running', icon: 'play', color: 'var(--working)' },
  input_required: { word: 'Needs input', icon: 'question', color: 'var(--question)' },
  completed: { word: 'Completed', icon: 'check', color: 'var(--good)' },
  failed: { word: 'Failed', icon: 'cross', color: 'var(--bad)' },
  cancelled: { word: 'Cancelled', icon: 'slash', color: 'var(--quiet)' },
};
