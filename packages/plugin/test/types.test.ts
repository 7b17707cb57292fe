import { expect, it } from '@jest/globals';
import {
  definePrompt,
  defineResource,
  defineTool,
  type ElicitResult,
  type FormContent,
  type TypedTool,
  z,
} from '@longshore/plugin';
import { runTool } from '@longshore/plugin/testing';

/** Compiles only when both types are the same; checked by `tsc -b tsconfig.test.json`. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;
const same = <A, B>(proof: Same<A, B>): boolean => proof;

const tool = defineTool({
  name: 'measure',
  description: 'Measures.',
  input: z.object({ city: z.string(), days: z.int().default(7) }),
  output: z.object({ mean: z.number(), note: z.string().optional() }),
  run(input, ctx) {
    same<typeof input, { city: string; days: number }>(true);
    same<typeof ctx.attempt, number>(true);
    return { mean: input.city.length / input.days };
  },
});

const textTool = defineTool({
  name: 'say',
  description: 'Says.',
  input: z.object({ words: z.string() }),
  run: ({ words }) => ({ content: [{ type: 'text', text: words }] }),
});

it('infers what goes in and what comes out', async () => {
  same<
    typeof tool,
    TypedTool<
      { city: string; days?: number | undefined },
      { mean: number; note?: string | undefined }
    >
  >(true);
  const { output } = await runTool(tool, { city: 'Genoa', days: 5 });
  same<typeof output, { mean: number; note?: string | undefined }>(true);
  expect(output.mean).toBe(1);
});

it('lets a tool without an output schema answer with content', async () => {
  const { output } = await runTool(textTool, { words: 'ahoy' });
  expect(output).toEqual({ content: [{ type: 'text', text: 'ahoy' }] });
});

it('infers what forms, prompts and templates give', () => {
  const asking = defineTool({
    name: 'ask',
    description: 'Asks.',
    input: z.object({}),
    run: async (_input, ctx) => {
      const form = z.object({ who: z.string(), kind: z.enum(['a', 'b']).default('a') });
      const answer = await ctx.elicit(form, 'Who?');
      same<typeof answer, ElicitResult<{ who: string; kind: 'a' | 'b' }>>(true);
      const raw = await ctx.elicit(
        { type: 'object', properties: { n: { type: 'integer' } } },
        'n?',
      );
      same<typeof raw, ElicitResult<FormContent>>(true);
      return '';
    },
  });
  const prompt = definePrompt({
    name: 'p',
    arguments: z.object({ n: z.string().transform(Number), m: z.string().optional() }),
    complete: { n: () => [] },
    run: (args) => {
      same<typeof args, { n: number; m?: string | undefined }>(true);
      return '';
    },
  });
  const resource = defineResource({
    uriTemplate: 'notes://{year}/{day}',
    name: 'note',
    complete: { day: () => [] },
    read: ({ variables }) => {
      same<typeof variables, Readonly<Record<'year' | 'day', string>>>(true);
      return variables.day;
    },
  });
  expect([asking.name, prompt.name, resource.name]).toEqual(['ask', 'p', 'note']);
});
