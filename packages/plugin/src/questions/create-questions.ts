import * as z from 'zod';
import { LONGEST_TIMER_MS } from '../checks/definition-checks.ts';
import type { JsonRecord } from '../values/json.ts';
import type {
  ClientAbilities,
  ClientQuestions,
  ElicitResult,
  Question,
  QuestionAnswer,
  QuestionMethod,
  QuestionOptions,
} from './client-questions.ts';
import { checkFormSchema, type FormContent, FormSchemaError } from './form-schema.ts';
import { InputError } from './input-error.ts';
import type { SamplingResult } from './sampling.ts';
import { checkSamplingRequest } from './sampling.ts';
import { zodForm } from './zod-form.ts';

/** What a host of plugins provides, for `createQuestions` to build on. */
export interface QuestionHost {
  readonly client: ClientAbilities;
  /** Forms come to the user in another way, when the client shows none. */
  readonly formsReachUser?: boolean;
  /**
   * Asks the client, once. Rejects only with what ends the run, such as the reason of its signal.
   *
   * @param timeoutMs after which the answer is `timeout`
   */
  ask(question: Question, timeoutMs: number): Promise<QuestionAnswer>;
}

/** Ten minutes: a person has to notice, understand and decide. */
const DEFAULT_TIMEOUT_MS = 600_000;

/** How often a question is put again after an answer that does not fit. */
const RETRIES = 2;

const KEY_LIMIT = 100;

const SHORT_NAMES: Record<QuestionMethod, string> = {
  'elicitation/create': 'elicit',
  'sampling/createMessage': 'sample',
  'roots/list': 'roots',
};

/** What is asked, and how the answer is looked into. */
interface Inquiry<Value> {
  readonly method: QuestionMethod;
  /** @param complaint what was wrong with the last answer; null: it is asked for the first time */
  readonly params: (complaint: string | null) => JsonRecord;
  /** @throws {z.ZodError} the answer does not fit */
  readonly parse: (result: JsonRecord) => Value;
}

/**
 * The questions of a context: names them, asks through the host, parses the answers, and asks again what
 * was answered amiss. Names follow the order of asking, so that another attempt asks the same questions
 * under the same names and gets the answers that are already there.
 */
export function createQuestions(host: QuestionHost): ClientQuestions {
  const counts: Record<QuestionMethod, number> = {
    'elicitation/create': 0,
    'sampling/createMessage': 0,
    'roots/list': 0,
  };
  const { client } = host;

  const ask = async <Value>(inquiry: Inquiry<Value>, options: QuestionOptions): Promise<Value> => {
    counts[inquiry.method] += 1;
    const key = questionKey(
      options.key,
      `${SHORT_NAMES[inquiry.method]}-${counts[inquiry.method]}`,
    );
    const timeoutMs = questionTimeout(options.timeoutMs);
    let complaint: string | null = null;
    for (let retry = 0; retry <= RETRIES; retry += 1) {
      const question = {
        key: retry === 0 ? key : `${key}~retry${retry}`,
        method: inquiry.method,
        params: inquiry.params(complaint),
      };
      const answer = await host.ask(question, timeoutMs);
      switch (answer.kind) {
        case 'timeout':
          throw new InputError('timeout', `Nobody answered question '${key}' in ${timeoutMs} ms.`);
        case 'error':
          throw new InputError(
            'refused',
            `The client refused question '${key}': ${answer.message}`,
          );
        case 'invalid':
          complaint = answer.problem;
          break;
        case 'result':
          try {
            return inquiry.parse(answer.result);
          } catch (error) {
            if (!(error instanceof z.ZodError)) throw error;
            complaint = problemOf(error);
          }
      }
    }
    throw new InputError('invalid', `No answer to question '${key}' did fit: ${complaint}`);
  };

  const elicitForm = async <Content>(
    requestedSchema: object,
    parse: (content: unknown) => Content,
    message: string,
    options: QuestionOptions,
  ): Promise<ElicitResult<Content>> => {
    requireAbility(
      client.elicitation.form || host.formsReachUser === true,
      'filling in forms (elicitation)',
    );
    const text = messageText(message);
    return ask<ElicitResult<Content>>(
      {
        method: 'elicitation/create',
        params: (complaint) => ({
          mode: 'form',
          message: withComplaint(text, complaint),
          requestedSchema: requestedSchema as JsonRecord,
        }),
        parse: (result) => {
          const { action, content = {} } = ElicitAnswer.parse(result);
          return action === 'accept' ? { action, content: parse(content) } : { action };
        },
      },
      options,
    );
  };

  function elicit<Form extends z.ZodObject>(
    form: Form,
    message: string,
    options?: QuestionOptions,
  ): Promise<ElicitResult<z.output<Form>>>;
  function elicit(
    form: object,
    message: string,
    options?: QuestionOptions,
  ): Promise<ElicitResult<FormContent>>;
  async function elicit(
    form: object,
    message: string,
    options: QuestionOptions = {},
  ): Promise<ElicitResult<unknown>> {
    if (isZod(form))
      return elicitForm(zodForm(form), (content) => form.parse(content), message, options);
    return elicitForm(checkFormSchema(form), (content) => content, message, options);
  }

  return {
    client,
    elicit,
    elicitUrl: async (url, message, options = {}) => {
      requireAbility(client.elicitation.url, 'opening pages (elicitation by URL)');
      const text = messageText(message);
      if (!URL.canParse(url)) throw new TypeError(`elicitUrl takes an absolute URL, not '${url}'`);
      return ask(
        {
          method: 'elicitation/create',
          params: (complaint) => ({ mode: 'url', message: withComplaint(text, complaint), url }),
          parse: (result) => ({ action: ElicitAnswer.parse(result).action }),
        },
        options,
      );
    },
    sample: async (request, options = {}) => {
      requireAbility(client.sampling, 'asking its model (sampling)');
      const params = checkSamplingRequest(request);
      if (request.tools !== undefined || request.toolChoice !== undefined) {
        requireAbility(client.samplingTools, 'giving its model tools (sampling.tools)');
      }
      return ask(
        {
          method: 'sampling/createMessage',
          params: () => params,
          parse: (result) => SamplingAnswer.parse(result),
        },
        options,
      );
    },
    listRoots: async (options = {}) => {
      requireAbility(client.roots, 'telling its directories (roots)');
      return ask(
        {
          method: 'roots/list',
          params: () => ({}),
          parse: (result) => RootsAnswer.parse(result).roots,
        },
        options,
      );
    },
  };
}

function requireAbility(declared: boolean, what: string): void {
  if (!declared) throw new InputError('unsupported', `The client does not support ${what}.`);
}

function questionKey(key: unknown, generated: string): string {
  if (key === undefined) return generated;
  if (typeof key !== 'string' || key === '' || key.length > KEY_LIMIT || key.includes('\0')) {
    throw new TypeError(
      `the key of a question is a text of 1 to ${KEY_LIMIT} characters, none of them NUL`,
    );
  }
  return key;
}

function questionTimeout(timeoutMs: number = DEFAULT_TIMEOUT_MS): number {
  if (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= LONGEST_TIMER_MS) {
    return timeoutMs;
  }
  throw new TypeError(`timeoutMs of a question is 1 to ${LONGEST_TIMER_MS}, not ${timeoutMs}`);
}

function messageText(message: unknown): string {
  if (typeof message === 'string' && message.trim() !== '') return message;
  throw new TypeError('a question needs a message: the text that the user reads');
}

function withComplaint(message: string, complaint: string | null): string {
  return complaint === null ? message : `${message}\n(The last answer did not fit: ${complaint})`;
}

/** One line per problem would tear the message apart; fields are named as the form names them. */
function problemOf(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');
}

/** A schema of zod 4, whichever copy of it the plugin brings. */
function isZod(form: object): form is z.ZodObject {
  if (typeof form !== 'object' || form === null) {
    throw new FormSchemaError('a form is z.object({ ... }) with one member per field');
  }
  if ('_zod' in form) return true;
  if ('_def' in form) {
    throw new FormSchemaError(
      "the form was made by another zod than ours: take z from '@longshore/plugin'",
    );
  }
  return false;
}

/** Clients' answers; unknown members pass, for later revisions add some. */
const ElicitAnswer = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), z.unknown()).optional(),
});

const Block = z.looseObject({ type: z.string() });

const SamplingAnswer: z.ZodType<SamplingResult> = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([Block, z.array(Block)]),
  model: z.string(),
  stopReason: z.string().optional(),
}) as unknown as z.ZodType<SamplingResult>;

const RootsAnswer = z.looseObject({
  roots: z.array(
    z
      .looseObject({ uri: z.string(), name: z.string().optional() })
      .transform(({ uri, name }) => ({ uri, ...(name === undefined ? {} : { name }) })),
  ),
});
