import { definePlugin, type Plugin } from '@longshore/plugin';
import { dataConvert } from './data-convert.ts';
import { dataProfile } from './data-profile.ts';
import { dataQuery } from './data-query.ts';
import { dataSplitApply } from './data-split-apply.ts';
import { QuerySlots } from './query-slots.ts';

/** Queries one worker runs at once: each may use two threads and more than a gigabyte of memory. */
const CONCURRENT_QUERIES = 2;

/** Tools that query, profile, convert and split CSV, JSON and Parquet files with DuckDB. */
export const plugin: Plugin = definePlugin({
  name: '@longshore/plugin-data',
  tools: (host) => {
    const slots = new QuerySlots(CONCURRENT_QUERIES);
    return [
      dataQuery(host, slots),
      dataProfile(host, slots),
      dataConvert(host, slots),
      dataSplitApply(host, slots),
    ];
  },
});
