import { describe, expect, it } from '@jest/globals';
import { LOG_LEVELS } from '@longshore/core';
import { specTypeSchemas } from '@modelcontextprotocol/client';
import { logNotification } from '../src/shared/notifications.ts';

describe('logNotification', () => {
  it.each(LOG_LEVELS)('of level %s is what both eras define', (level) => {
    const message = logNotification({ level, logger: 'greet', data: { n: 1 }, taskId: null });
    expect(message).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level, logger: 'greet', data: { n: 1 } },
    });
    const schema = specTypeSchemas.LoggingMessageNotification['~standard'];
    expect(schema.validate(message).issues).toBeUndefined();
  });

  it('names the legacy task it belongs to', () => {
    expect(
      logNotification({ level: 'info', logger: null, data: null, taskId: 'x' }).params,
    ).toEqual({
      level: 'info',
      data: null,
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'x' } },
    });
  });
});
