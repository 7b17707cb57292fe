export { hashTexts } from './batch/hash-texts.ts';
export { compareTexts } from './card/compare-texts.ts';
export { bookTable } from './elicitation/book-table.ts';
export { histogram } from './python/histogram.ts';
export { summarizeNotes } from './sampling/summarize-notes.ts';
export { estimatePi } from './thread/estimate-pi.ts';
