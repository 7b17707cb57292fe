import type { AnnouncedPrompt, JsonObject } from '@longshore/core';

/** A catalogue entry as prompts/list shows it, the same in both eras (2025-11-25 server/prompts). */
export function wirePrompt(prompt: AnnouncedPrompt): JsonObject {
  return {
    name: prompt.name,
    ...(prompt.title === null ? {} : { title: prompt.title }),
    ...(prompt.description === null ? {} : { description: prompt.description }),
    ...(prompt.arguments.length === 0
      ? {}
      : {
          arguments: prompt.arguments.map((argument) => ({
            name: argument.name,
            ...(argument.description === null ? {} : { description: argument.description }),
            required: argument.required,
          })),
        }),
  };
}
