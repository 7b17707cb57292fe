import type {
  AnnouncedPrompt,
  AnnouncedResource,
  AnnouncedTool,
  CardStore,
  CatalogueSnapshot,
  CatalogueStore,
  Logger,
  OfferedVersions,
  WorkerAnnouncement,
  WorkerId,
  WorkerPresence,
} from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import {
  AnnouncedPromptRow,
  AnnouncedResourceRow,
  AnnouncedToolRow,
} from '../rows/catalogue-entry.ts';
import { announceWorker } from '../statements/announce-worker.ts';
import { findToolVersions, type ToolVersionRow } from '../statements/find-tool-versions.ts';
import { type CatalogueRow, loadCatalogue } from '../statements/load-catalogue.ts';

const Id = z.object({ id: z.string() });
const Presence = z.object({ workers: z.number(), offering: z.number() });
const Version = z.object({ fingerprint: z.string().nullable() });

export class PostgresCatalogueStore implements CatalogueStore {
  readonly #runner: SqlRunner;
  readonly #cards: Pick<CardStore, 'keep'>;
  readonly #log: Logger;

  constructor(runner: SqlRunner, cards: Pick<CardStore, 'keep'>, log: Logger) {
    this.#runner = runner;
    this.#cards = cards;
    this.#log = log;
  }

  async announce(worker: WorkerAnnouncement): Promise<void> {
    await this.#cards.keep(worker.cards);
    await announceWorker(this.#runner, worker);
  }

  async beat(id: WorkerId): Promise<boolean> {
    const rows = await this.#runner.run({
      name: 'beat-worker',
      row: Id,
      sql: Prisma.sql`UPDATE workers SET heartbeat_at = now() WHERE id = ${id}::uuid RETURNING id`,
    });
    return rows.length > 0;
  }

  async retire(id: WorkerId): Promise<void> {
    await this.#runner.run({
      name: 'retire-worker',
      row: z.unknown(),
      sql: Prisma.sql`DELETE FROM workers WHERE id = ${id}::uuid`,
    });
  }

  /** An entry that does not fit, from a worker of another version, is left out and logged. */
  async load(graceMs: number): Promise<CatalogueSnapshot> {
    const tools: AnnouncedTool[] = [];
    const prompts: AnnouncedPrompt[] = [];
    const resources: AnnouncedResource[] = [];
    for (const row of await loadCatalogue(this.#runner, graceMs)) {
      if (row.kind === 'tool') this.#read(AnnouncedToolRow, row, tools);
      else if (row.kind === 'prompt') this.#read(AnnouncedPromptRow, row, prompts);
      else this.#read(AnnouncedResourceRow, row, resources);
    }
    return { tools, prompts, resources };
  }

  #read<Entry>(schema: z.ZodType<Entry>, row: CatalogueRow, into: Entry[]): void {
    const parsed = schema.safeParse(row.definition);
    if (parsed.success) {
      into.push(parsed.data);
      return;
    }
    const fields = { [row.kind]: row.name, error: parsed.error.message };
    this.#log.warn(fields, `left out a ${row.kind} that this version does not understand`);
  }

  /** Indexes: workers_heartbeat_at_idx, then catalogue_entries_pkey, one probe per worker. */
  async versionToRun(
    toolName: string,
    fingerprint: string,
    graceMs: number,
  ): Promise<string | null> {
    const [row] = await this.#runner.run({
      name: 'find-tool-version',
      row: Version,
      sql: Prisma.sql`
        SELECT e.fingerprint
        FROM workers AS w JOIN catalogue_entries AS e ON e.worker_id = w.id
        WHERE w.heartbeat_at > now() - ${graceMs}::float8 * interval '1 ms'
          AND e.kind = 'tool' AND e.name = ${toolName}
        ORDER BY (e.fingerprint = ${fingerprint}) IS TRUE DESC, w.started_at DESC, w.id
        LIMIT 1`,
    });
    return row?.fingerprint ?? null;
  }

  async differing(graceMs: number): Promise<readonly OfferedVersions[]> {
    const tools = new Map<string, ToolVersionRow[]>();
    for (const row of await findToolVersions(this.#runner, graceMs)) {
      tools.set(row.name, [...(tools.get(row.name) ?? []), row]);
    }
    return [...tools].flatMap(([name, rows]) => {
      const plugins = distinct(rows.map(({ definition }) => String(definition['plugin'])));
      if (plugins.length === 1 && distinct(rows.map((row) => row.fingerprint)).length === 1)
        return [];
      const versions = rows.map(({ definition: { plugin, pluginVersion } }) =>
        [plugin, pluginVersion].map(String).join(' '),
      );
      return [{ name, plugins, versions: distinct(versions) }];
    });
  }

  /** Indexes: workers_heartbeat_at_idx, catalogue_entries_pkey. */
  async presence(graceMs: number, toolName?: string): Promise<WorkerPresence> {
    const [row] = await this.#runner.run({
      name: 'count-workers',
      row: Presence,
      sql: Prisma.sql`
        SELECT count(*)::int AS workers, count(e.worker_id)::int AS offering
        FROM workers AS w LEFT JOIN catalogue_entries AS e
          ON e.worker_id = w.id AND e.kind = 'tool' AND e.name = ${toolName ?? null}::text
        WHERE w.heartbeat_at > now() - ${graceMs}::float8 * interval '1 ms'`,
    });
    return row ?? { workers: 0, offering: 0 };
  }

  /** With their tools (foreign key). One that beats at this moment is waited for and then left alone. */
  async deleteGone(goneMs: number): Promise<number> {
    const rows = await this.#runner.run({
      name: 'delete-gone-workers',
      row: Id,
      sql: Prisma.sql`
        DELETE FROM workers WHERE heartbeat_at <= now() - ${goneMs}::float8 * interval '1 ms'
        RETURNING id`,
    });
    return rows.length;
  }
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)].sort();
}
