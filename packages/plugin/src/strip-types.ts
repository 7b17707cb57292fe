import type { LoadHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/wasm-typescript';
import * as z from 'zod';

/*
 * The hook of `typescript.ts`, which Node.js runs in a thread of its own. It is what Node.js has inside since 22.18: types
 * become white space, so that what is left has the lines and columns that its author sees.
 */

const TYPESCRIPT = /^file:.*\.([cm]?)ts(?:$|[?#])/;

/** What the transformation throws. Lines count from 1, columns from 0. */
const Misfit = z.object({ message: z.string(), startLine: z.int(), startColumn: z.int() });

export const load: LoadHook = async (url, context, next) => {
  const kind = TYPESCRIPT.exec(url)?.[1];
  if (kind === undefined) return next(url, context);
  // It would not know what to make of the name.
  const { source } = await next(url, { ...context, format: 'module' });
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
  const format = kind === 'c' ? 'commonjs' : 'module';
  return { format, source: stripped(text, fileURLToPath(url)), shortCircuit: true };
};

/** @throws {SyntaxError} it is no TypeScript, or has types that can not be left out; the message names the place */
function stripped(text: string, file: string): string {
  try {
    return transformSync(text, { mode: 'strip-only', filename: file }).code;
  } catch (cause) {
    const misfit = Misfit.safeParse(cause);
    if (!misfit.success) throw cause;
    const { message, startLine, startColumn } = misfit.data;
    throw new SyntaxError(`${message} (${file}:${startLine}:${startColumn + 1})`, { cause });
  }
}
