import type { AnswerOf, CallOf, OperationName } from '@longshore/operator';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { say } from '../state/toasts.ts';
import { client, isProblem, messageOf } from './client.ts';
import { forgetLogin, readAgain } from './queries.ts';

/** A call that changes something. What came of it is said in a toast; the page stays. */
export function useAction<Name extends OperationName>(
  name: Name,
  options: {
    readonly done: (answer: AnswerOf<Name>) => string | null;
    readonly after?: (answer: AnswerOf<Name>) => unknown;
  },
): UseMutationResult<AnswerOf<Name>, unknown, CallOf<Name>> {
  const send = client as (name: Name, call: CallOf<Name>) => Promise<AnswerOf<Name>>;
  return useMutation({
    mutationFn: (call: CallOf<Name>) => send(name, call),
    onSuccess: async (answer) => {
      const text = options.done(answer);
      if (text !== null) say('done', text);
      await options.after?.(answer);
      await readAgain();
    },
    onError: (error) => {
      if (isProblem(error, 401)) forgetLogin();
      say('failed', messageOf(error));
    },
  });
}
