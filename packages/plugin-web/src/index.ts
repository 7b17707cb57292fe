import { definePlugin, type Plugin } from '@longshore/plugin';
import { openWeb } from './web.ts';
import { webFetch } from './web-fetch.ts';
import { webSitemap } from './web-sitemap.ts';

/** Tools that fetch pages and sitemaps from hosts the operator allows. */
export const plugin: Plugin = definePlugin({
  name: '@longshore/plugin-web',
  tools: (host) => {
    const web = openWeb(host.network);
    return [webFetch(host, web), webSitemap(host, web)];
  },
});
