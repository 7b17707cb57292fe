import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { cutLog } from '../src/bounded-log.ts';

let dir: string;
let log: string;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'longshore-log-'));
  log = path.join(dir, 'pg.log');
});

afterEach(() => rmSync(dir, { recursive: true }));

it('leaves a log alone up to the limit', () => {
  writeFileSync(log, 'x'.repeat(100));
  cutLog(log, 100);
  expect(readFileSync(log, 'utf8')).toHaveLength(100);
  expect(existsSync(`${log}.1`)).toBe(false);
});

it('moves the content away beyond it, while somebody writes', () => {
  const writer = openSync(log, 'a');
  writeSync(writer, 'old '.repeat(26));
  cutLog(log, 100);
  writeSync(writer, 'new');
  closeSync(writer);
  expect(readFileSync(log, 'utf8')).toBe('new');
  expect(readFileSync(`${log}.1`, 'utf8')).toBe('old '.repeat(26));
});

it('keeps one old log', () => {
  appendFileSync(log, 'first'.repeat(30));
  cutLog(log, 100);
  appendFileSync(log, 'second'.repeat(30));
  cutLog(log, 100);
  expect(readFileSync(`${log}.1`, 'utf8')).toBe('second'.repeat(30));
});

it('does nothing when there is no log yet', () => {
  expect(() => cutLog(log, 100)).not.toThrow();
});
