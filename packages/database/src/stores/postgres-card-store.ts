import type { CardStore, PluginCard } from '@longshore/core';
import * as z from 'zod';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { Prisma } from '../generated/client.ts';
import { jsonObjectColumn } from '../rows/columns.ts';

const Uri = z.object({ uri: z.string() });

export class PostgresCardStore implements CardStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  /** Those that are there are not sent again, the others one by one: they may be large. */
  async keep(cards: readonly PluginCard[]): Promise<void> {
    if (cards.length === 0) return;
    const touched = await this.#runner.run({
      name: 'touch-cards',
      row: Uri,
      sql: Prisma.sql`
        UPDATE plugin_cards SET offered_at = now()
        WHERE uri = ANY (${cards.map(({ uri }) => uri)}::text[]) RETURNING uri`,
    });
    const known = new Set(touched.map(({ uri }) => uri));
    for (const { uri, html, csp } of cards.filter((card) => !known.has(card.uri))) {
      await this.#runner.ask('keep-card', (prisma) =>
        prisma.pluginCard.createMany({ data: [{ uri, html, csp }], skipDuplicates: true }),
      );
    }
  }

  async find(uri: string): Promise<PluginCard | null> {
    const row = await this.#runner.ask('find-card', (prisma) =>
      prisma.pluginCard.findUnique({ where: { uri } }),
    );
    return row === null ? null : { uri, html: row.html, csp: jsonObjectColumn.parse(row.csp) };
  }

  /**
   * What workers offer counts as offered now, which is noted once an hour. Locks the cards it notes or deletes; one that is
   * announced meanwhile is waited for and then left alone. Reads `workers` and plugin_cards whole: both are small.
   */
  async deleteOld(keepMs: number): Promise<number> {
    const rows = await this.#runner.run({
      name: 'delete-old-cards',
      row: Uri,
      sql: Prisma.sql`
        WITH offered AS (
          SELECT DISTINCT unnest(cards) AS uri FROM workers
        ), noted AS (
          UPDATE plugin_cards AS c SET offered_at = now() FROM offered AS o
          WHERE c.uri = o.uri AND c.offered_at < now() - interval '1 hour'
        )
        DELETE FROM plugin_cards AS c
        WHERE c.offered_at <= now() - ${keepMs}::float8 * interval '1 ms'
          AND NOT EXISTS (SELECT FROM offered AS o WHERE o.uri = c.uri)
        RETURNING c.uri`,
    });
    return rows.length;
  }
}
