import { setTimeout as delay } from 'node:timers/promises';
import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';
import type { Switch } from '../faults/fault.ts';

type Args = Readonly<Record<string, unknown>>;

/** What a running tool may do. */
export interface MiniContext {
  readonly signal: AbortSignal;
  isOn(name: Switch): boolean;
  /** Arguments of the session's latest task. */
  latestArgs(): Args;
  progress(done: number, total: number): void;
  log(text: string): void;
  /** Asks the client; its answer, which may be an error. */
  ask(method: string, params: object): Promise<JsonRpcMessage>;
}

export interface MiniTool {
  readonly name: string;
  readonly support: 'optional' | 'required' | 'forbidden';
  /** The answer to tools/call: a result or an error. */
  readonly run: (args: Args, context: MiniContext) => Promise<JsonRpcMessage> | JsonRpcMessage;
}

const text = (words: string, isError = false): JsonRpcMessage => ({
  result: { content: [{ type: 'text', text: words }], ...(isError ? { isError } : {}) },
});

export const MINI_TOOLS: readonly MiniTool[] = [
  {
    name: 'conformance_slow',
    support: 'optional',
    async run({ ms, steps = 4 }, { signal, progress, isOn, latestArgs }) {
      for (let step = 1; step <= Number(steps); step += 1) {
        await delay(Number(ms) / Number(steps), undefined, { signal });
        progress(step, Number(steps));
      }
      const shown = isOn('results of the latest call') ? latestArgs()['ms'] : ms;
      return text(`slept ${shown} ms`);
    },
  },
  {
    name: 'conformance_fail',
    support: 'optional',
    run: () => text('failed on purpose', true),
  },
  {
    name: 'conformance_protocol_error',
    support: 'optional',
    run: () => ({
      error: { code: -32050, message: 'refused on purpose', data: { why: 'test' } },
    }),
  },
  { name: 'conformance_required', support: 'required', run: () => text('done') },
  { name: 'conformance_forbidden', support: 'forbidden', run: () => text('done') },
  {
    name: 'conformance_elicit',
    support: 'optional',
    async run({ message }, { ask, isOn }) {
      const { result } = await ask('elicitation/create', {
        mode: 'form',
        message,
        requestedSchema: {
          type: 'object',
          properties: { name: { type: 'string' } },
          required: ['name'],
        },
      });
      if (result?.['action'] !== 'accept') return text('nobody gave a name', true);
      const { name } = result['content'] as { name: string };
      return text(`Hello, ${isOn('elicited content lost') ? 'stranger' : name}`);
    },
  },
  {
    name: 'conformance_sample',
    support: 'optional',
    async run(_args, { ask, isOn }) {
      const { result, error } = await ask('sampling/createMessage', {
        messages: [{ role: 'user', content: { type: 'text', text: 'Say something.' } }],
        maxTokens: 100,
      });
      if (error !== undefined) return text(error.message, true);
      const content = result?.['content'] as { text: string } | undefined;
      return text(isOn('sampled text lost') ? 'something' : `${content?.text}`);
    },
  },
  {
    name: 'conformance_log',
    support: 'optional',
    run(_args, { log }) {
      log('conformance_log runs');
      return text('logged');
    },
  },
];
