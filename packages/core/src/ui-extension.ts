/** MCP Apps (SEP-1865): pages of servers that hosts show beside what a tool answers. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';

/** Of such a page; a host that shows pages names it in its declaration. */
export const UI_MIME_TYPE = 'text/html;profile=mcp-app';

/** The page that shows a job. */
export const JOB_CARD_URI = 'ui://longshore/job';

/** To be raised when a card of before can not go on with what it is told now. */
export const JOB_CARD_VERSION = 1;

/** Of a page that a plugin brings. @param digest of what is in it, 32 hexadecimal digits or more */
export const pluginCardUri = (plugin: string, digest: string): string =>
  `ui://${encodeURIComponent(plugin)}/${digest.slice(0, 32)}`;

/** What can be the URI of a page of a plugin, as `pluginCardUri` makes them. */
export const isPluginCardUri = (uri: string): boolean => /^ui:\/\/[^/]+\/[0-9a-f]{32}$/.test(uri);
