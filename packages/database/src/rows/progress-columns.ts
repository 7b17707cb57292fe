import type { Progress } from '@longshore/core';
import { Prisma } from '../generated/client.ts';
import { storableText } from './storable-text.ts';

interface Reported {
  readonly progress: Progress | null;
  readonly statusMessage: string | null;
}

/**
 * The arrays behind `progress, progress_total, progress_message, status_message` of an `unnest`.
 * A progress that is no finite number counts as none, for NaN would be above all later ones.
 */
export function progressColumns(reports: readonly Reported[]): Prisma.Sql {
  const progress = reports.map((report) =>
    report.progress !== null && Number.isFinite(report.progress.progress) ? report.progress : null,
  );
  const messages = progress.map((entry) => textOrNull(entry?.message ?? null));
  const statuses = reports.map((report) => textOrNull(report.statusMessage));
  return Prisma.sql`
    ${progress.map((entry) => entry?.progress ?? null)}::float8[],
    ${progress.map((entry) => entry?.total ?? null)}::float8[],
    ${messages}::text[], ${statuses}::text[]`;
}

function textOrNull(text: string | null): string | null {
  return text === null ? null : storableText(text);
}
