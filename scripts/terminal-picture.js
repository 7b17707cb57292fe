// Draws what a program printed as a terminal would show it, as an SVG on standard output. How docs/demo.svg was made:
//   npm run demo | node scripts/terminal-picture.js 'npm run demo' > docs/demo.svg
// Of the lines of progress that follow each other the first few are drawn, and long lines are cut.
import { readFileSync } from 'node:fs';

const COLUMNS = 116;
const PROGRESS_LINES = 6;
const LINE_PX = 18;
const CHARACTER_PX = 7.83;
const MARGIN_PX = 16;

const COLOURS = [
  [/^\$ /, '#ffffff'],
  [/^ +worker .* killed|failed {2}/, '#ff8f80'],
  [/cancelled {2}/, '#f0c674'],
  [/ \d+%| working$|^ +task +tool/, '#8fa1b3'],
  [/completed|^ *\d+ (items|runs|were)|^Everything|^A batch/, '#9bd88f'],
];

/** Spaces that do not break are not taken together either, whatever shows the picture. */
const escaped = (text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(' ', '\u00A0');
const cut = (line) => (line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line);
const colourOf = (line) => COLOURS.find(([pattern]) => pattern.test(line))?.[1] ?? '#c5c8c6';

const [command = ''] = process.argv.slice(2);
const lines = [`$ ${command}`];
let progress = 0;
for (const line of readFileSync(0, 'utf8').trimEnd().split('\n')) {
  progress = /^ .*( \d+%| working$)/.test(line) ? progress + 1 : 0;
  if (progress <= PROGRESS_LINES) lines.push(cut(line));
  else if (progress === PROGRESS_LINES + 1) lines.push('  …');
}

const width = Math.ceil(COLUMNS * CHARACTER_PX + 2 * MARGIN_PX);
const height = lines.length * LINE_PX + 2 * MARGIN_PX;
const texts = lines.map((line, index) => {
  const y = MARGIN_PX + (index + 1) * LINE_PX - 5;
  return `<text x="${MARGIN_PX}" y="${y}" fill="${colourOf(line)}">${escaped(line)}</text>`;
});
process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${command}</title>
<rect width="${width}" height="${height}" rx="8" fill="#1d2125"/>
<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
${texts.join('\n')}
</g>
</svg>
`);
