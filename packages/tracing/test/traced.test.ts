import { afterEach, describe, expect, it } from '@jest/globals';
import { fromStored, isTracing, presentStored, presentTrace, traced } from '../src/index.ts';
import { startTracing } from '../src/sdk.ts';
import { storedContext, toSpanContext, toTraceContext } from '../src/trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const traceparent = `00-${TRACE}-${SPAN}-01`;

describe('the place of a span', () => {
  it.each([{ traceparent }, { traceparent, tracestate: 'a=1,b=2 3' }])(
    'is what it was after it was kept: %j',
    (place) => {
      expect(fromStored(storedContext(place))).toEqual(place);
      const span = toSpanContext(place);
      expect(span).toMatchObject({ traceId: TRACE, spanId: SPAN, traceFlags: 1 });
      expect(span && toTraceContext(span)).toEqual(place);
    },
  );

  it.each([
    '',
    'nonsense',
    traceparent.toUpperCase(),
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    traceparent.slice(1),
    `${traceparent}0`,
  ])('is none: %s', (text) => {
    expect(toSpanContext({ traceparent: text })).toBeNull();
  });

  it('is known of a version that is yet to come', () => {
    expect(toSpanContext({ traceparent: `cc-${TRACE}-${SPAN}-01-more` })).toMatchObject({
      traceId: TRACE,
    });
  });

  it('loses a state that is too long to be passed on, and nothing else', () => {
    const place = { traceparent, tracestate: `a=${'x'.repeat(600)}` };
    const span = toSpanContext(place);
    expect(span && toTraceContext(span)).toEqual({ traceparent });
  });
});

describe('what is traced', () => {
  let stop: (() => Promise<void>) | null = null;
  afterEach(async () => {
    await stop?.();
    stop = null;
  });
  const start = (sampler: 'always_on' | 'always_off'): void => {
    stop = startTracing({ service: 'test', version: '1', sampler, ratio: 1 });
  };
  const inside = () => traced('outer', {}, async () => presentTrace());

  it('is only called while nobody traces', async () => {
    expect(isTracing()).toBe(false);
    expect(await inside()).toBeNull();
    expect(presentStored()).toBeNull();
  });

  it('has a place of its own, in the trace it is a part of', async () => {
    start('always_off');
    const parent = { traceparent, tracestate: 'a=1' };
    const place = await traced('outer', { parent }, () => inside());
    expect(place?.tracestate).toBe('a=1');
    expect(place?.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${SPAN})[0-9a-f]{16}-00$`));
    expect(presentTrace()).toBeNull();
  });

  it('begins a trace where it is a part of nothing', async () => {
    start('always_off');
    const places = await traced('outer', {}, async () => [
      await traced('inner', { parent: null }, async () => presentTrace()),
      presentTrace(),
    ]);
    const [inner, outer] = places.map((place) => place?.traceparent.split('-')[1]);
    expect(inner).toMatch(/^[0-9a-f]{32}$/);
    expect(inner).not.toBe(outer);
  });

  it('fails with what it does', async () => {
    start('always_off');
    const failing = traced('outer', {}, () => Promise.reject(new Error('own')));
    await expect(failing).rejects.toThrow('own');
  });
});
