import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import { FIXTURE_TOOLS, type Stack, startStack } from './support/stack.ts';
import {
  type CollectedSpan,
  startTraceCollector,
  type TraceCollector,
} from './support/trace-collector.ts';

const fixture = (name: string): string => path.join(import.meta.dirname, 'fixtures', name);

/** A client's span, and what it sends of it. */
function clientSpan(flags = '01') {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  return { traceId, spanId, meta: { traceparent, tracestate: 'vendor=opaque' } };
}

function traces(mode: Mode): void {
  let collector: TraceCollector;
  let stack: Stack;
  let modern: ModernClient;
  let directory: string;
  let runs: string;

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'longshore-traces-'));
    runs = path.join(directory, 'runs');
    writeFileSync(runs, '');
    collector = await startTraceCollector();
    stack = await startStack({
      mode,
      environment: {
        PLUGINS: [FIXTURE_TOOLS, fixture('batch-tools.js'), fixture('traced-tools.js')].join(','),
        RUNS: runs,
        WORKER_CONCURRENCY: '2',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      },
    });
    modern = new ModernClient(stack.urls).withTasks();
    await waitFor(
      async () => JSON.stringify(await modern.result('tools/list')).includes('where_in_thread'),
      { what: 'the catalogue is there' },
    );
  });
  afterAll(async () => {
    await stack.stop();
    await collector.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const spansOf = (traceId: string): readonly CollectedSpan[] =>
    collector.spans.filter((span) => span.traceId === traceId);
  const named = (traceId: string, name: string): readonly CollectedSpan[] =>
    spansOf(traceId).filter((span) => span.name === name);
  const started = async (name: string, args: object, meta: object): Promise<string> => {
    const params = { name, arguments: args };
    const { taskId } = await modern.result('tools/call', params, { meta: { ...meta } });
    return String(taskId);
  };
  const untilEnded = (taskId: string) =>
    waitFor(
      async () => {
        const task = await modern.result('tasks/get', { taskId });
        return task['status'] === 'working' ? null : task;
      },
      { what: 'the task has ended', timeoutMs: 30_000 },
    );
  const untilThere = (traceId: string, name: string, count = 1) =>
    waitFor(
      () => {
        const found = named(traceId, name);
        return found.length >= count ? found : null;
      },
      { what: `${count} spans ${name}` },
    );

  it('go from the client over the API to the worker and its statements', async () => {
    const { traceId, spanId, meta } = clientSpan();
    await untilEnded(await started('echo', { text: 'hello' }, meta));
    const [attempt] = await untilThere(traceId, 'attempt');
    const [call] = await untilThere(traceId, 'tools/call');
    const [accept] = named(traceId, 'accept');
    const [wait] = named(traceId, 'queue wait');
    const [tool] = named(traceId, 'tool');
    expect(call).toMatchObject({ parentSpanId: spanId, service: 'longshore-api' });
    expect(accept).toMatchObject({ parentSpanId: call?.spanId });
    expect(wait).toMatchObject({ parentSpanId: accept?.spanId, service: 'longshore-worker' });
    expect(attempt).toMatchObject({ parentSpanId: accept?.spanId, service: 'longshore-worker' });
    expect(attempt?.attributes).toMatchObject({ 'longshore.tool': 'echo', 'longshore.attempt': 1 });
    expect(tool).toMatchObject({ parentSpanId: attempt?.spanId });
    const [accepting] = named(traceId, 'accepting tasks');
    expect(accepting).toMatchObject({ parentSpanId: accept?.spanId });
    expect(named(traceId, 'accept-tasks')).toMatchObject([{ parentSpanId: accepting?.spanId }]);
    const [finishing] = named(traceId, 'finishing tasks');
    expect(finishing).toMatchObject({ parentSpanId: attempt?.spanId });
    expect(named(traceId, 'finish-tasks')).toMatchObject([{ parentSpanId: finishing?.spanId }]);
    expect(new Set(spansOf(traceId).map((span) => span.spanId)).size).toBe(spansOf(traceId).length);
    expect(spansOf(traceId).filter(({ hasFailed }) => hasFailed)).toEqual([]);
  });

  it('go on to the last item of a batch, also after its worker was killed', async () => {
    const { traceId, meta } = clientSpan();
    const count = 40;
    const taskId = await started('squares', { count, ms: 100 }, meta);
    await waitFor(() => readFileSync(runs, 'utf8').split('\n').length > 3, { what: 'some items' });
    await stack.workers[0]?.kill('SIGKILL');
    await stack.startWorker();
    await untilEnded(taskId);
    const picked = await waitFor(
      () =>
        named(traceId, 'attempt').find(
          ({ attributes, links }) => attributes['longshore.task.id'] === taskId && links.length > 0,
        ),
      { what: 'the attempt that picked it up', timeoutMs: 30_000 },
    );
    const index = (span: CollectedSpan): unknown => span.attributes['longshore.item'];
    await waitFor(() => named(traceId, 'item').some((span) => index(span) === count - 1), {
      what: 'the last item',
    });
    const [accept] = named(traceId, 'accept');
    expect(picked).toMatchObject({
      parentSpanId: accept?.spanId,
      links: [{ traceId, spanId: accept?.spanId }],
      attributes: { 'longshore.attempt': 2 },
    });
    const failed = named(traceId, 'item').filter(({ hasFailed }) => hasFailed);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.map((span) => Number(index(span)) % 10)).toEqual(failed.map(() => 7));
    expect(readFileSync(runs, 'utf8').split('\n').length).toBeGreaterThan(count);
  });

  it.each(['where', 'where_in_thread', 'where_called'])('are told to tools: %s', async (name) => {
    const { traceId, meta } = clientSpan();
    const task = await untilEnded(await started(name, {}, meta));
    const { structuredContent } = task['result'] as {
      structuredContent: { traceparent: string };
    };
    const [, told, at] = structuredContent.traceparent.split('-');
    expect(told).toBe(traceId);
    await waitFor(() => named(traceId, 'tool').some(({ spanId }) => spanId === at), {
      what: 'the span of the tool',
    });
  });

  it('begin at the API when the client has none, in either era', async () => {
    const legacy = await WireClient.initialized(stack.urls[0] ?? '');
    await legacy.result('tools/call', { name: 'fail', arguments: { message: 'as asked' } });
    const roots = await waitFor(
      () => {
        const found = collector.spans.filter(
          ({ name, attributes }) =>
            name === 'tools/call' && attributes['gen_ai.tool.name'] === 'fail',
        );
        return found.length > 0 ? found : null;
      },
      { what: 'a trace of its own' },
    );
    expect(roots).toMatchObject([{ parentSpanId: null }]);
    await untilThere(roots[0]?.traceId ?? '', 'attempt');
  });

  it('are not kept where the client has decided so, and do not mind what is no trace', async () => {
    const { traceId, meta } = clientSpan('00');
    await untilEnded(await started('echo', { text: 'unseen' }, meta));
    for (const traceparent of ['no trace', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, 7]) {
      await untilEnded(await started('echo', { text: 'own' }, { traceparent }));
    }
    const seen = clientSpan();
    await untilEnded(await started('echo', { text: 'seen' }, seen.meta));
    await untilThere(seen.traceId, 'attempt');
    expect(spansOf(traceId)).toEqual([]);
  });

  it('say nothing of arguments, results and messages of errors', async () => {
    const { traceId, meta } = clientSpan();
    await untilEnded(await started('fail', { message: 'a secret of somebody' }, meta));
    await untilThere(traceId, 'attempt');
    expect(JSON.stringify(collector.spans)).not.toContain('a secret of somebody');
  });
}

describeInMode('traces', 'redis', traces);
