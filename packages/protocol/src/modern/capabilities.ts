import {
  type ClientAbilities,
  type InputQuestion,
  type JsonObject,
  LongshoreError,
} from '@longshore/core';
import { TASKS_EXTENSION } from '../shared/meta-keys.ts';

/** ClientCapabilities that say: the client can handle tasks. */
export const TASKS_CAPABILITY: JsonObject = { extensions: { [TASKS_EXTENSION]: {} } };

/** What a tool can require of a client. */
type RequiredAbility = 'elicitation' | 'sampling' | 'roots';

/**
 * @param required in the form of ClientCapabilities
 * @see 2026-07-28 schema, MissingRequiredClientCapabilityError
 */
export function missingCapability(required: JsonObject): LongshoreError {
  return new LongshoreError('MISSING_CAPABILITY', 'Missing required client capability', {
    details: { requiredCapabilities: required },
  });
}

/** Whether tools/call may be answered with a task; a legacy `tasks` declaration does not count. */
export function declaresTasks(abilities: ClientAbilities): boolean {
  return abilities.tasksExtension;
}

/**
 * For tasks/get, tasks/update, tasks/cancel, listening to taskIds, and tools that run only as a task. Comes
 * before the task is looked up.
 *
 * @throws {LongshoreError} MISSING_CAPABILITY
 */
export function requireTasks(abilities: ClientAbilities): void {
  if (!declaresTasks(abilities)) throw missingCapability(TASKS_CAPABILITY);
}

/** What of `requires` the client did not declare, in the form of ClientCapabilities; null when it is all there. */
export function lackingCapabilities(
  abilities: ClientAbilities,
  requires: readonly RequiredAbility[],
): JsonObject | null {
  const lacking = requires.filter((name) => !has(abilities, name));
  return lacking.length === 0 ? null : Object.fromEntries(lacking.map((name) => [name, {}]));
}

/** What a client must declare to be asked these questions, in the form of ClientCapabilities. */
export function capabilitiesFor(questions: readonly InputQuestion[]): JsonObject {
  const required = new Map<string, JsonObject>();
  for (const question of questions) {
    const [name, detail] = capabilityFor(question);
    required.set(name, { ...required.get(name), ...detail });
  }
  return Object.fromEntries(required);
}

function capabilityFor({ method, params }: InputQuestion): [string, JsonObject] {
  switch (method) {
    case 'elicitation/create':
      return ['elicitation', params['mode'] === 'url' ? { url: {} } : { form: {} }];
    case 'sampling/createMessage':
      return ['sampling', 'tools' in params || 'toolChoice' in params ? { tools: {} } : {}];
    case 'roots/list':
      return ['roots', {}];
  }
}

function has(abilities: ClientAbilities, name: RequiredAbility): boolean {
  return name === 'elicitation' ? abilities.elicitation.form : abilities[name];
}
