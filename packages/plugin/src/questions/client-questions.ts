import type * as z from 'zod';
import type { JsonRecord } from '../values/json.ts';
import type { FormContent, FormSchema } from './form-schema.ts';
import type { SamplingRequest, SamplingResult } from './sampling.ts';

/** What the client of this call can be asked. Asking for more throws an InputError, `unsupported`. */
export interface ClientAbilities {
  readonly elicitation: { readonly form: boolean; readonly url: boolean };
  readonly sampling: boolean;
  /** Sampling with `tools` and `toolChoice`. */
  readonly samplingTools: boolean;
  readonly roots: boolean;
}

export interface QuestionOptions {
  /**
   * Name of the question, unique in the call; by default a number in the order of asking. After a crash or
   * a retry the same question of the same name gets the answer it already has, so name questions that are
   * not always asked in the same order. 1 to 100 characters.
   */
  readonly key?: string;
  /** How long to wait for the answer, in milliseconds; 10 minutes unless said otherwise. */
  readonly timeoutMs?: number;
}

/** What the user did with a form: both ways of not filling it in are answers. */
export type ElicitResult<Content> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** `accept`: the user agreed to open the page, not that they have done there what they should. */
export interface UrlElicitResult {
  readonly action: 'accept' | 'decline' | 'cancel';
}

/** A directory or file the client lets servers know of. */
export interface Root {
  /** `file://` URI. */
  readonly uri: string;
  readonly name?: string;
}

/** The questions a tool, prompt or resource may ask the client while it runs. */
export interface ClientQuestions {
  readonly client: ClientAbilities;
  /**
   * Asks the user to fill in a form, and waits. An answer that does not fit is asked again, twice, with
   * what is wrong. Never ask for secrets: `elicitUrl` is for those.
   *
   * @param form a zod object of texts, numbers, booleans and choices, or MCP's restricted JSON Schema
   * @param message what the user reads
   * @returns accepted content as `form` parses it
   * @throws {InputError}
   * @throws {FormSchemaError} the form can not be shown by MCP clients; says what to write instead
   */
  elicit<Form extends z.ZodObject>(
    form: Form,
    message: string,
    options?: QuestionOptions,
  ): Promise<ElicitResult<z.output<Form>>>;
  elicit(
    form: FormSchema,
    message: string,
    options?: QuestionOptions,
  ): Promise<ElicitResult<FormContent>>;
  /**
   * Asks the user to open a page, such as a login or a payment.
   *
   * @param url https; no secrets or personal data in it
   * @throws {InputError}
   */
  elicitUrl(url: string, message: string, options?: QuestionOptions): Promise<UrlElicitResult>;
  /**
   * Has the client's model answer. The user may see, change or refuse it.
   *
   * @throws {InputError}
   */
  sample(request: SamplingRequest, options?: QuestionOptions): Promise<SamplingResult>;
  /**
   * Asks which directories the client works on.
   *
   * @throws {InputError}
   */
  listRoots(options?: QuestionOptions): Promise<readonly Root[]>;
}

/** What a running tool may ask its client. */
export type QuestionMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** A question on its way to the client. */
export interface Question {
  readonly key: string;
  readonly method: QuestionMethod;
  /** Params of the MCP request; an elicitation by URL gets its elicitationId where the era has one. */
  readonly params: JsonRecord;
}

/** How a question ended, before its result is looked into. */
export type QuestionAnswer =
  | { readonly kind: 'result'; readonly result: JsonRecord }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  | { readonly kind: 'invalid'; readonly problem: string }
  | { readonly kind: 'timeout' };
