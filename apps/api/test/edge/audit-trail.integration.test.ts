import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { ApiMetrics } from '@longshore/metrics';
import { waitFor } from '@longshore/testing';
import { createTestDatabase, type TestDatabase } from '@longshore/testing/servers';
import { AuditTrail } from '../../src/edge/audit-trail.ts';

const NOBODY = { principalId: null, authBindingId: null, address: null, requestId: 'r' };

let at: TestDatabase;
let database: Database;
let trail: AuditTrail;

beforeAll(async () => {
  at = await createTestDatabase();
  database = openDatabase({ url: at.url, log: silentLogger });
  trail = new AuditTrail({
    store: database.auditStore,
    retentionMs: 0,
    metrics: new ApiMetrics(() => false),
    log: silentLogger,
  });
});
afterAll(async () => {
  await trail.stop();
  await database.close();
  await at.drop();
});

describe('the audit trail', () => {
  it('deletes all that is too old, however much', async () => {
    const entry = { ...NOBODY, action: 'refused', target: null, details: null } as const;
    await database.auditStore.append(Array.from({ length: 1_200 }, () => entry));
    await trail.start();
    const search = { principal: null, action: null, targetId: null, after: null, before: null };
    await waitFor(async () => (await database.auditStore.search(search, 1, null)).length === 0, {
      what: 'all are gone',
    });
  });
});
