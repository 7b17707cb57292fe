/**
 * Ends what the suite leaves unanswered, in milliseconds. Its own answers come at once; on a machine that is
 * busy with everything else, within some seconds.
 */
export const QUESTION_TIMEOUT_MS = 30_000;
