import { defineItem, type PluginHost, ToolError, type TypedItem, z } from '@longshore/plugin';
import { Sql } from '../data-query.ts';
import type { QuerySlots } from '../query-slots.ts';
import { selectRows } from '../select-rows.ts';
import { withSession } from '../session.ts';
import { checkStatement } from '../statement-guard.ts';
import { TableSource } from '../table-source.ts';
import { createPartition, PARTITION, WHOLE } from './partitions.ts';

const MAX_ROWS = 10_000;
/** Of the rows as JSON, in UTF-16 units: what is kept of an item has 1 MiB, with what is around the rows. */
const MAX_LENGTH = 1_000_000;

/** All that is needed to query a partition, at any worker that sees the file. */
const PartitionQuery = z.object({
  source: TableSource,
  by: z.array(z.string()),
  /** In the order of `by`, as text; null: NULL. */
  values: z.array(z.string().nullable()),
  sql: Sql,
});
type PartitionQuery = z.input<typeof PartitionQuery>;

export interface PartitionRows {
  readonly rows: z.core.util.JSONType[][];
  /** Texts that were cut. */
  readonly clipped: number;
}

export type PartitionItem = TypedItem<PartitionQuery, PartitionRows>;

/** Runs the query on one partition. */
export function partitionItem(host: PluginHost, slots: QuerySlots): PartitionItem {
  return defineItem({
    name: 'query_partition',
    input: PartitionQuery,
    run: ({ source, by, values, sql }, { signal, principal }) => {
      const tables = new Map([[WHOLE, source]]);
      const ctx = { signal, principal };
      return withSession({ host, ctx, slots, tables }, async (engine): Promise<PartitionRows> => {
        await createPartition(engine, by, values);
        const select = await checkStatement(engine, sql, [PARTITION]);
        const selected = await selectRows(engine, select, MAX_ROWS, () => {}, MAX_LENGTH);
        // Leaving rows out would make the whole wrong without anybody noticing.
        if (selected.truncated) {
          throw new ToolError(
            `the query gives more than ${MAX_ROWS} rows or ${MAX_LENGTH} characters for this partition: aggregate more`,
          );
        }
        return { rows: selected.rows, clipped: selected.clipped };
      });
    },
  });
}
