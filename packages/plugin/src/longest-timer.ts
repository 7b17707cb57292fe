/** Node's timers take a signed 32-bit number of milliseconds, 24.8 days; a longer one fires at once. */
export const LONGEST_TIMER_MS = 2_147_483_647;
