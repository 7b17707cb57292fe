// Run by npx, among the packages it fetched: says where they are.
import { existsSync } from 'node:fs';
import path from 'node:path';

const folders = (process.env['PATH'] ?? '').split(path.delimiter);
const suite = folders
  .map((folder) => path.join(folder, '..', '@modelcontextprotocol/conformance/dist/index.js'))
  .find((file) => existsSync(file));
process.stdout.write(`${JSON.stringify({ node: process.execPath, suite })}\n`);
