import {
  definePrompt,
  defineTool,
  type PluginHost,
  type Prompt,
  type Tool,
  z,
} from '@longshore/plugin';

/** A tool and a prompt that come and go, and the tools that make them do so. */
export class CatalogueChanges {
  #hasTool = false;
  #hasPrompt = false;

  tools(host: PluginHost): Tool[] {
    return [
      defineTool({
        name: 'test_trigger_tool_change',
        description: 'Adds the tool test_dynamic_tool, or takes it away.',
        input: z.object({}),
        run: () => {
          this.#hasTool = !this.#hasTool;
          host.catalogueChanged();
          return this.#hasTool ? 'Added the tool' : 'Took the tool away';
        },
      }),
      defineTool({
        name: 'test_trigger_prompt_change',
        description: 'Adds the prompt test_dynamic_prompt, or takes it away.',
        input: z.object({}),
        run: () => {
          this.#hasPrompt = !this.#hasPrompt;
          host.catalogueChanged();
          return this.#hasPrompt ? 'Added the prompt' : 'Took the prompt away';
        },
      }),
      ...(this.#hasTool ? [dynamicTool] : []),
    ];
  }

  prompts(): Prompt[] {
    return this.#hasPrompt ? [dynamicPrompt] : [];
  }
}

const dynamicTool = defineTool({
  name: 'test_dynamic_tool',
  description: 'Is there every other time.',
  input: z.object({}),
  run: () => 'Still there.',
});

const dynamicPrompt = definePrompt({
  name: 'test_dynamic_prompt',
  description: 'Is there every other time.',
  run: () => 'Still there.',
});
