import { expect } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import { at, isObject, type JsonObject, show } from '../wire/json.ts';
import { startAsked } from './input-requests.ts';

const PRIMITIVES: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

/** What the questions themselves look like. */
export const QUESTION_CHECKS: readonly Check[] = [
  {
    id: 'elicitation-form',
    verifies: 'elicitation-form',
    needs: ['elicit'],
    async run(scene) {
      const { question } = await startAsked(scene, 'elicit');
      const params = question.message.params ?? {};
      const { mode, message, requestedSchema: schema } = params;
      expect(mode === undefined || mode === 'form', `mode is ${show(mode)}`);
      expect(typeof message === 'string', `message is ${show(message)}`);
      expect(
        at(schema, 'type') === 'object' && isObject(at(schema, 'properties')),
        `requestedSchema is ${show(schema)}`,
      );
      const properties = Object.entries(at(schema, 'properties') as JsonObject);
      for (const [name, property] of properties) {
        expect(isPrimitive(property), `property ${name} of the form is ${show(property)}`);
      }
    },
  },
  {
    id: 'sampling-request',
    verifies: 'sampling-request',
    needs: ['sample'],
    async run(scene) {
      const { question } = await startAsked(scene, 'sample');
      const { messages, maxTokens } = question.message.params ?? {};
      const fits =
        Array.isArray(messages) &&
        messages.length > 0 &&
        messages.every(
          (message) =>
            (at(message, 'role') === 'user' || at(message, 'role') === 'assistant') &&
            typeof at(message, 'content') === 'object',
        );
      expect(fits, `messages are ${show(messages)}`);
      expect(Number.isInteger(maxTokens), `maxTokens is ${show(maxTokens)}`);
    },
  },
];

/** A string, number, boolean or enumeration, or a list to choose several of. */
function isPrimitive(property: unknown): boolean {
  const type = at(property, 'type');
  if (type !== 'array') return PRIMITIVES.includes(type);
  const items = at(property, 'items');
  return Array.isArray(at(items, 'enum')) || Array.isArray(at(items, 'anyOf'));
}
