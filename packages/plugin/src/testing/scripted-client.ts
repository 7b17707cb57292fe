import type {
  ClientAbilities,
  Question,
  QuestionAnswer,
  QuestionMethod,
} from '../questions/client-questions.ts';
import type { QuestionHost } from '../questions/create-questions.ts';
import type { Json, JsonRecord } from '../values/json.ts';

/** A question as the client would get it. */
export interface RecordedQuestion {
  /** `elicit-1`, `sample-2` and so on, or the key the plugin gave it; `~retry1` when it is asked again. */
  readonly key: string;
  readonly method: QuestionMethod;
  readonly params: JsonRecord;
}

/**
 * What the client answers: the result of the MCP request, such as `{ action: 'accept', content: { ... } }`
 * or `{ role, content, model }`; `'timeout'`; or an Error, which the client sends instead of a result.
 */
export type ScriptedAnswer = { readonly [key: string]: Json | undefined } | 'timeout' | Error;

/** Answers in the order of the questions, or by key, or made for each question. */
export type ScriptedAnswers =
  | readonly ScriptedAnswer[]
  | Readonly<Record<string, ScriptedAnswer>>
  | ((question: RecordedQuestion) => ScriptedAnswer | Promise<ScriptedAnswer>);

const ALL_ABILITIES: ClientAbilities = {
  elicitation: { form: true, url: true },
  sampling: true,
  samplingTools: true,
  roots: true,
};

/** A client in memory, which answers from a script and can do everything unless it is told otherwise. */
export function scriptedClient(
  options: { readonly client?: ClientAbilities; readonly answers?: ScriptedAnswers },
  signal: AbortSignal,
): QuestionHost & { readonly questions: readonly RecordedQuestion[] } {
  const questions: RecordedQuestion[] = [];
  return {
    questions,
    client: options.client ?? ALL_ABILITIES,
    ask: async (question) => {
      signal.throwIfAborted();
      const asked = JSON.parse(JSON.stringify(question)) as RecordedQuestion;
      questions.push(asked);
      const answer = await untilAborted(scripted(options.answers, asked, questions.length), signal);
      return toAnswer(answer, question);
    },
  };
}

async function scripted(
  answers: ScriptedAnswers | undefined,
  question: RecordedQuestion,
  ordinal: number,
): Promise<ScriptedAnswer> {
  if (typeof answers === 'function') return answers(question);
  const answer = Array.isArray(answers)
    ? answers[ordinal - 1]
    : (answers as Readonly<Record<string, ScriptedAnswer>> | undefined)?.[question.key];
  if (answer !== undefined) return answer;
  throw new Error(
    `the script has no answer to question ${ordinal}, '${question.key}' (${question.method}): pass answers: { '${question.key}': ... }`,
  );
}

function toAnswer(answer: ScriptedAnswer, { method }: Question): QuestionAnswer {
  if (answer === 'timeout') return { kind: 'timeout' };
  if (answer instanceof Error) return { kind: 'error', code: -1, message: answer.message };
  if (typeof answer !== 'object' || answer === null) {
    throw new TypeError(`an answer to ${method} is its result, 'timeout' or an Error`);
  }
  return { kind: 'result', result: JSON.parse(JSON.stringify(answer)) };
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
