import type {
  AnnouncedPrompt,
  AnnouncedResource,
  AnnouncedTool,
  CatalogueSnapshot,
  CatalogueStore,
  Logger,
  OfferedVersions,
  WorkerAnnouncement,
  WorkerId,
  WorkerPresence,
} from '@longshore/core';
import type * as z from 'zod';
import { classifyError } from '../connection/classify-error.ts';
import type { SqlRunner } from '../connection/sql-runner.ts';
import type { PrismaClient } from '../generated/client.ts';
import {
  AnnouncedPromptRow,
  AnnouncedResourceRow,
  AnnouncedToolRow,
} from '../rows/catalogue-entry.ts';
import { announceWorker } from '../statements/announce-worker.ts';
import { beatWorker } from '../statements/beat-worker.ts';
import { countWorkers } from '../statements/count-workers.ts';
import { deleteGoneWorkers } from '../statements/delete-gone-workers.ts';
import { findToolVersion } from '../statements/find-tool-version.ts';
import { findToolVersions, type ToolVersionRow } from '../statements/find-tool-versions.ts';
import { type CatalogueRow, loadCatalogue } from '../statements/load-catalogue.ts';

export interface CatalogueStoreParts {
  readonly runner: SqlRunner;
  readonly prisma: PrismaClient;
  readonly log: Logger;
  /** Where the database is, for errors. */
  readonly server: string;
}

export class PostgresCatalogueStore implements CatalogueStore {
  readonly #runner: SqlRunner;
  readonly #prisma: PrismaClient;
  readonly #log: Logger;
  readonly #server: string;

  constructor({ runner, prisma, log, server }: CatalogueStoreParts) {
    this.#runner = runner;
    this.#prisma = prisma;
    this.#log = log;
    this.#server = server;
  }

  async announce(worker: WorkerAnnouncement): Promise<void> {
    await announceWorker(this.#runner, worker);
  }

  async beat(id: WorkerId): Promise<boolean> {
    return beatWorker(this.#runner, id);
  }

  async retire(id: WorkerId): Promise<void> {
    try {
      await this.#prisma.worker.deleteMany({ where: { id } });
    } catch (error) {
      throw classifyError(error, 'retire-worker', this.#server);
    }
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

  async versionToRun(
    toolName: string,
    fingerprint: string,
    graceMs: number,
  ): Promise<string | null> {
    return findToolVersion(this.#runner, toolName, fingerprint, graceMs);
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

  async presence(graceMs: number, toolName?: string): Promise<WorkerPresence> {
    return countWorkers(this.#runner, graceMs, toolName ?? null);
  }

  async deleteGone(goneMs: number): Promise<number> {
    return deleteGoneWorkers(this.#runner, goneMs);
  }
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)].sort();
}
