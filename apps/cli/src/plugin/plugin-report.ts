import * as z from 'zod';

const Finding = z.object({ level: z.enum(['error', 'warning']), message: z.string() });
export type Finding = z.output<typeof Finding>;

const CheckedOffer = z.object({
  kind: z.enum(['tool', 'prompt', 'resource']),
  name: z.string(),
  description: z.string().nullable(),
  inputSchema: z.record(z.string(), z.unknown()).nullable(),
  digest: z.string(),
  findings: z.array(Finding),
});
export type CheckedOffer = z.output<typeof CheckedOffer>;

/** What the checking process of the worker answers (apps/worker/src/check). */
export const PluginReport = z.object({
  name: z.string().nullable(),
  version: z.string().nullable(),
  entry: z.string().nullable(),
  problem: z
    .object({
      message: z.string(),
      place: z.object({ file: z.string(), line: z.int(), column: z.int() }).nullable(),
    })
    .nullable(),
  offers: z.array(CheckedOffer),
});
export type PluginReport = z.output<typeof PluginReport>;

/** How many errors and warnings there are. */
export function countFindings({ problem, offers }: PluginReport): {
  readonly errors: number;
  readonly warnings: number;
} {
  const found = offers.flatMap(({ findings }) => findings);
  const warnings = found.filter(({ level }) => level === 'warning').length;
  return { errors: found.length - warnings + (problem === null ? 0 : 1), warnings };
}
