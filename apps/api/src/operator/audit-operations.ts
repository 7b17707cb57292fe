import { once } from 'node:events';
import type { AuditEntry, AuditSearch, PrincipalId } from '@longshore/core';
import { LongshoreError } from '@longshore/core';
import type { AnswerOf, AuditFilter } from '@longshore/operator';
import type * as z from 'zod';
import type { Handlers } from './operation.ts';

/** Entries of one statement of an export. */
const PAGE = 1_000;
/** Ids of entries in the order in which they came, as cursors. */
const CURSOR = /^\d{1,19}$/;

export const auditOperations: Handlers<'GET /audit' | 'GET /audit/export'> = {
  'GET /audit': async ({ auditStore }, { query }) => {
    const { cursor, limit, ...filter } = query;
    if (cursor !== undefined && !CURSOR.test(cursor)) {
      throw new LongshoreError('INVALID_CURSOR', 'Invalid cursor: use `next` of an earlier page');
    }
    const found = await auditStore.search(searchOf(filter), limit + 1, cursor ?? null);
    const entries = found.slice(0, limit);
    return {
      entries: entries.map(shown),
      next: found.length > limit ? (entries.at(-1)?.id ?? null) : null,
    };
  },

  'GET /audit/export': async ({ auditStore }, { query, response }) => {
    const search = searchOf(query);
    let place: string | null = null;
    response.setHeader('Content-Type', 'application/x-ndjson');
    response.setHeader('Content-Disposition', 'attachment; filename="audit.ndjson"');
    do {
      const entries: readonly AuditEntry[] = await auditStore.search(search, PAGE, place);
      place = entries.length < PAGE ? null : (entries.at(-1)?.id ?? null);
      const lines = entries.map((entry) => `${JSON.stringify(shown(entry))}\n`).join('');
      if (!response.write(lines) && !response.destroyed)
        await Promise.race([once(response, 'drain'), once(response, 'close')]);
    } while (place !== null && !response.destroyed);
    response.end();
    return undefined;
  },
};

function searchOf(filter: z.output<typeof AuditFilter>): AuditSearch {
  return {
    principal: (filter.principal as PrincipalId | undefined) ?? null,
    action: filter.action ?? null,
    targetId: filter.target ?? null,
    after: filter.after === undefined ? null : new Date(filter.after),
    before: filter.before === undefined ? null : new Date(filter.before),
  };
}

function shown(entry: AuditEntry): AnswerOf<'GET /audit'>['entries'][number] {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    action: entry.action,
    principalId: entry.principalId,
    credentialId: entry.authBindingId,
    target: entry.target === null ? null : { ...entry.target },
    address: entry.address,
    requestId: entry.requestId,
    details: entry.details === null ? null : { ...entry.details },
  };
}
