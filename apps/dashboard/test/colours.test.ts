import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';

const CSS = readFileSync(path.join(import.meta.dirname, '../src/tokens.css'), 'utf8');
const [LIGHT, DARK] = [...CSS.matchAll(/^:root[^{]*\{([^}]*--ink: [^}]*)\}/gm)].map(
  ([, rules = '']) =>
    Object.fromEntries(
      [...rules.matchAll(/--(\w+): #(\w{6});/g)].map(([, name, hex]) => [name, hex]),
    ),
);

/** WCAG 2.2: relative luminance of an sRGB colour. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

it.each([
  ['light', LIGHT],
  ['dark', DARK],
])('every text can be read on every ground in the %s', (_, colours = {}) => {
  const at = (name: string): string => colours[name] ?? '';
  const texts = ['ink', 'soft', 'accent', 'working', 'question', 'good', 'bad', 'quiet'];
  const grounds = ['page', 'panel', 'raised', 'hover'];
  const faint = texts.flatMap((text) =>
    grounds
      .filter((ground) => !(contrast(at(text), at(ground)) >= 4.5))
      .map((ground) => `${text} on ${ground}: ${contrast(at(text), at(ground)).toFixed(2)}`),
  );
  expect(faint).toEqual([]);
});
