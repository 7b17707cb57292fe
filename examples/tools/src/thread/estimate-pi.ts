import { defineTool, z } from '@longshore/plugin';

export const estimatePi = defineTool({
  name: 'estimate_pi',
  description:
    'Estimates pi by throwing darts. More darts, more digits: each digit takes a hundred times as many.',
  input: z.object({
    darts: z.int().min(1).max(1_000_000_000),
    seed: z.int().min(1).max(2_147_483_646).default(1),
  }),
  output: z.object({ pi: z.number() }),
  task: { isolate: 'thread', timeoutMs: 300_000 },
  run({ darts, seed }, ctx) {
    let state = seed;
    const random = (): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    let hits = 0;
    for (let dart = 1; dart <= darts; dart += 1) {
      if (random() ** 2 + random() ** 2 < 1) hits += 1;
      if (dart % 100_000 === 0) {
        ctx.signal.throwIfAborted();
        ctx.progress(dart, darts);
      }
    }
    return { pi: (4 * hits) / darts };
  },
});
