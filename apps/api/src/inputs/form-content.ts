import type { JsonObject } from '@longshore/core';
import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export type FormContent =
  | { readonly ok: true; readonly content: JsonObject }
  /** A sentence for whoever filled in the form. */
  | { readonly ok: false; readonly problem: string };

/**
 * Checks what a client filled in against the form's schema (2025-11-25 client/elicitation,
 * `requestedSchema`: a flat object). Members the form does not have are dropped; a member that was left
 * out stays out, also when the form has a default for it: that is the client's to fill in.
 */
export class FormChecker {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, ownProperties: true });

  constructor() {
    addFormats.default(this.#ajv);
  }

  check(form: JsonObject, given: Readonly<Record<string, unknown>>): FormContent {
    // The dialect does not matter to a flat form, and a name would clash with that of the next one.
    const { $schema: _dialect, $id: _name, ...schema } = form;
    const content = onlyKnown(schema, given);
    try {
      const validate = this.#ajv.compile(schema);
      if (validate(content)) return { ok: true, content };
      const problems = (validate.errors ?? []).slice(0, 10).map(describe);
      return { ok: false, problem: problems.join('; ') };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { ok: false, problem: `the form of the question has a faulty schema: ${reason}` };
    } finally {
      // Each question brings a schema of its own: kept ones would pile up.
      this.#ajv.removeSchema(schema);
    }
  }
}

function onlyKnown(schema: JsonObject, given: Readonly<Record<string, unknown>>): JsonObject {
  const { properties } = schema;
  const members = Object.entries(given);
  const known =
    typeof properties === 'object' && properties !== null
      ? members.filter(([name]) => Object.hasOwn(properties, name))
      : members;
  // Parsed from JSON, so the values are JSON.
  return Object.fromEntries(known) as JsonObject;
}

function describe(error: ErrorObject): string {
  const where = error.instancePath.slice(1).replaceAll('/', '.');
  const allowed =
    error.keyword === 'enum' ? ` (${JSON.stringify(error.params['allowedValues'])})` : '';
  return `${where === '' ? 'the form' : where} ${error.message ?? 'is invalid'}${allowed}`;
}
