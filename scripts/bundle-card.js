// Bundles the job card into one HTML file without outside requests, beside the dashboard, which shares its looks. Does nothing
// when no source is younger than that.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { newest } from './newest.js';

const app = path.join(import.meta.dirname, '../apps/dashboard');
const src = path.join(app, 'src');
const page = path.join(app, 'dist/card.html');

const read = (name) => readFileSync(path.join(src, name), 'utf8');

if (!existsSync(page) || statSync(page).mtimeMs < newest(src, import.meta.filename)) {
  const bundle = await rolldown({ input: path.join(src, 'card/main.ts'), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  const script = output[0].code.trim().replaceAll('</script', '<\\/script');
  const style = `${read('tokens.css')}${read('card/card.css')}`
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s*([{};,])\s*/g, '$1')
    .replaceAll(/:\s+|\s+/g, (space) => (space.startsWith(':') ? ':' : ' '))
    .trim();
  mkdirSync(path.dirname(page), { recursive: true });
  // By functions: a replacement that is a text has signs of its own.
  writeFileSync(
    page,
    read('card/card.html')
      .replace('/*STYLE*/', () => style)
      .replace('/*SCRIPT*/', () => script),
  );
}
