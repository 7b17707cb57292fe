import type { AnnouncedTool, JsonObject } from '@longshore/core';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Checks call arguments against a tool's input schema (JSON Schema 2020-12). */
export class ArgumentValidator {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, ownProperties: true });
  readonly #compiled = new WeakMap<AnnouncedTool, ValidateFunction>();

  constructor() {
    addFormats.default(this.#ajv);
  }

  /** @returns null when the arguments fit, else a sentence for the model that names every problem */
  problem(tool: AnnouncedTool, args: JsonObject): string | null {
    let validate = this.#compiled.get(tool);
    if (validate === undefined) {
      validate = this.#ajv.compile(tool.inputSchema);
      this.#compiled.set(tool, validate);
    }
    if (validate(args)) return null;
    const problems = (validate.errors ?? []).slice(0, 10).map(describe);
    return `Invalid arguments for tool ${tool.name}: ${problems.join('; ')}`;
  }
}

function describe(error: ErrorObject): string {
  const where =
    error.instancePath === '' ? 'arguments' : error.instancePath.slice(1).replaceAll('/', '.');
  const extra =
    error.keyword === 'additionalProperties'
      ? ` (${String(error.params['additionalProperty'])})`
      : '';
  return `${where} ${error.message ?? 'is invalid'}${extra}`;
}
