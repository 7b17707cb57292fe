import { defineTool, type Tool, z } from '@longshore/plugin';
import { QUESTION_TIMEOUT_MS } from './question-timeout.ts';

/** The state between the rounds is the server's, which checks it before this tool hears of the answer. */
function confirming(name: string): Tool {
  return defineTool({
    name,
    description: 'Asks the user to confirm; the answer arrives only with the state it belongs to.',
    input: z.object({}),
    run: async (_input, ctx) => {
      const form = z.object({ ok: z.boolean() });
      const options = { key: 'confirm', timeoutMs: QUESTION_TIMEOUT_MS };
      const answer = await ctx.elicit(form, 'Please confirm', options);
      return `state-ok: ${answer.action}`;
    },
  });
}

/** SEP-2322: a result that wants input carries a state that can not be forged. */
export const requestStateTools: readonly Tool[] = [
  confirming('test_input_required_result_request_state'),
  confirming('test_input_required_result_tampered_state'),
];
