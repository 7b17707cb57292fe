/** MCP Apps (SEP-1865): pages of servers that hosts show beside what a tool answers. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';

/** Of such a page; a host that shows pages names it in its declaration. */
export const UI_MIME_TYPE = 'text/html;profile=mcp-app';

/** The page that shows a job. */
export const JOB_CARD_URI = 'ui://longshore/job';

/** To be raised when a card of before can not go on with what it is told now. */
export const JOB_CARD_VERSION = 1;
