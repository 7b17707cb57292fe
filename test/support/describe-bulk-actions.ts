import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CallOf } from '@longshore/operator';
import { waitFor } from '@longshore/testing';
import { OperatorApi, type OperatorStage } from './operator-client.ts';

/** Tests of what is done to all tasks that a filter matches. */
export function describeBulkActions(stage: () => OperatorStage): void {
  describe('a bulk action', () => {
    let on: OperatorStage;
    beforeAll(() => {
      on = stage();
    });
    const begin = (api: OperatorApi, body: CallOf<'POST /bulk'>['body']) =>
      api.call('POST /bulk', { body });
    const ended = (api: OperatorApi, id: string | undefined) =>
      waitFor(
        async () => {
          const { action } = await api.call('GET /bulk/{id}', { params: { id: id ?? '' } });
          return action.state === 'running' ? null : action;
        },
        { what: 'the bulk action has ended', timeoutMs: 40_000 },
      );

    it('counts first, then cancels what matches and nothing else', async () => {
      await on.operator.call('POST /queues/{name}/pause', { params: { name: 'slow' } });
      const waiting = await Promise.all(
        Array.from({ length: 12 }, () => on.ada.run('slow', { ms: 1 })),
      );
      const other = await on.operator.run('slow', { ms: 1 });
      const filter = { tool: 'slow', principal: (await on.ada.call('GET /me')).principal.id };
      expect(await begin(on.operator, { verb: 'cancel', filter, dryRun: true })).toEqual({
        count: 12,
        isCapped: false,
        action: null,
      });
      const { action } = await begin(on.operator, { verb: 'cancel', filter, most: 10 });
      expect(await ended(on.operator, action?.id)).toMatchObject({
        state: 'done',
        done: 10,
        failed: 0,
      });
      const left = await begin(on.ada, { verb: 'cancel', filter: { tool: ['slow'] } });
      expect(left.count).toBe(2);
      expect(await ended(on.ada, left.action?.id)).toMatchObject({ done: 2 });
      await Promise.all(waiting.map((id) => on.ada.inPhase(id, 'cancelled')));
      expect((await on.operator.inPhase(other, 'waiting')).id).toBe(other);
      await on.operator.call('POST /queues/{name}/resume', { params: { name: 'slow' } });
      await on.operator.inPhase(other, 'completed');
      await expect(
        on.bob.call('GET /bulk/{id}', { params: { id: action?.id ?? '' } }),
      ).rejects.toMatchObject({ status: 404 });
      expect((await on.viewer.call('GET /bulk')).actions.map(({ id }) => id)).toContain(action?.id);
    });

    it('goes on at another API when its own is killed, and runs each task again once', async () => {
      const failed = await Promise.all(
        Array.from({ length: 150 }, (_, n) => on.ada.run('even', { n: 2 * n + 1001 })),
      );
      await Promise.all(failed.map((id) => on.ada.inPhase(id, 'failed')));
      const second = await on.stack.startApi();
      const doomed = new OperatorApi(second, on.adasKey);
      // The first API has no hand in it until the lease is over.
      const filter = { tool: ['even'], text: 'n":1' };
      const { action, count } = await begin(doomed, { verb: 'retry', filter });
      expect(count).toBeGreaterThan(100);
      await on.stack.apis.at(-1)?.kill('SIGKILL');
      expect(await ended(on.ada, action?.id)).toMatchObject({
        state: 'done',
        done: count,
        failed: 0,
      });
      const { count: doubled } = await on.viewer.call('GET /tasks/count', {
        query: { tool: 'even', text: 'n":1' },
      });
      expect(doubled).toBe(2 * count);
    });

    it('is refused when it is for everything and does not say so, or when there is nothing to do', async () => {
      await expect(begin(on.ada, { verb: 'cancel', filter: {} })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('everything'),
      });
      await expect(
        begin(on.ada, { verb: 'retry', filter: { phase: ['running'] } }),
      ).rejects.toMatchObject({ status: 400 });
      await expect(
        begin(on.viewer, { verb: 'cancel', filter: { tool: 'x' } }),
      ).rejects.toMatchObject({
        status: 403,
      });
      const all = await begin(on.ada, { verb: 'cancel', filter: {}, confirm: 'everything' });
      await ended(on.ada, all.action?.id);
      await expect(
        on.bob.call('POST /bulk/{id}/stop', { params: { id: all.action?.id ?? '' } }),
      ).rejects.toMatchObject({ status: 404 });
    });
  });
}
