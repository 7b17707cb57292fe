import {
  type ClientAbilities,
  type InputQuestion,
  NO_ABILITIES,
  UI_EXTENSION,
  UI_MIME_TYPE,
} from '@longshore/core';
import { isObject } from './json-object.ts';
import { TASKS_EXTENSION } from './meta-keys.ts';

/**
 * ClientCapabilities of either era, normalised. Lenient: junk counts as absent, because a capability that
 * is not understood is a capability that must not be used.
 *
 * `elicitation: {}` means form mode only (2025-11-25 client/elicitation, "Capabilities"). In 2026-07-28
 * `tasks` has no meaning, and in 2025-11-25 the extension of tasks has none; both are read and the eras look at theirs.
 */
export function parseClientAbilities(raw: unknown): ClientAbilities {
  if (!isObject(raw)) return NO_ABILITIES;
  const elicitation = raw['elicitation'];
  const url = declares(elicitation, 'url');
  const requests = member(member(raw, 'tasks'), 'requests');
  return {
    elicitation: {
      form: isObject(elicitation) && (declares(elicitation, 'form') || !url),
      url,
    },
    sampling: declares(raw, 'sampling'),
    samplingTools: declares(raw['sampling'], 'tools'),
    roots: declares(raw, 'roots'),
    tasks: {
      elicitation: declares(member(requests, 'elicitation'), 'create'),
      sampling: declares(member(requests, 'sampling'), 'createMessage'),
    },
    jobAnswers: false,
    tasksExtension: declares(raw['extensions'], TASKS_EXTENSION),
    ui: showsPages(member(raw['extensions'], UI_EXTENSION)),
  };
}

/** Whether the client declared what it needs to be asked this question. */
export function canAnswer(
  abilities: ClientAbilities,
  question: Pick<InputQuestion, 'method' | 'params'>,
): boolean {
  switch (question.method) {
    case 'elicitation/create':
      return question.params['mode'] === 'url'
        ? abilities.elicitation.url
        : abilities.elicitation.form;
    case 'sampling/createMessage':
      return 'tools' in question.params || 'toolChoice' in question.params
        ? abilities.sampling && abilities.samplingTools
        : abilities.sampling;
    case 'roots/list':
      return abilities.roots;
  }
}

/** @see SEP-1865, "Client<>Server Capability Negotiation": without `mimeTypes` it shows none */
function showsPages(declared: unknown): boolean {
  const types = member(declared, 'mimeTypes');
  return Array.isArray(types) && types.includes(UI_MIME_TYPE);
}

function member(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

/** A capability is declared by an object, even an empty one. */
function declares(value: unknown, key: string): boolean {
  return isObject(member(value, key));
}
