import { createHash } from 'node:crypto';
import type { LoadedPrompt, LoadedResource, LoadedTool, Offers } from '../plugins/offers.ts';
import { cardFindings } from './card-findings.ts';
import type { CheckedOffer, Finding } from './plugin-report.ts';

/** What the model APIs behind most hosts take; MCP itself allows dots and 128 characters. */
const NAME_FOR_MODELS = /^[A-Za-z0-9_-]{1,64}$/;

/** Shorter ones say hardly more than the name does. */
const MIN_DESCRIPTION_LENGTH = 20;

/** Hexadecimal digits. */
const DIGEST_LENGTH = 16;

/** Looks at everything that could be loaded for what models and hosts need and no worker insists on. */
export function checkOffers({ tools, prompts, resources }: Offers): CheckedOffer[] {
  return [...tools.map(checkTool), ...prompts.map(checkPrompt), ...resources.map(checkResource)];
}

function checkTool({ tool, announced, card = null }: LoadedTool): CheckedOffer {
  const { name, description, inputSchema } = tool;
  return {
    kind: 'tool',
    name,
    description,
    inputSchema,
    digest: digestOf(announced),
    findings: [
      ...nameFindings(name),
      ...descriptionFindings(description),
      ...argumentFindings(inputSchema),
      ...exampleFindings(inputSchema, (value) => tool.parseInput(value)),
      ...(card === null ? [] : cardFindings(card)),
    ],
  };
}

function checkPrompt({ prompt, announced }: LoadedPrompt): CheckedOffer {
  const { name, description } = prompt;
  const silent = prompt.arguments.filter((argument) => argument.description === null);
  return {
    kind: 'prompt',
    name,
    description,
    inputSchema: null,
    digest: digestOf(announced),
    findings: [
      ...(description === null
        ? [warning('has no description: say what it is for, users choose by it')]
        : []),
      ...silent.map((argument) =>
        warning(`argument '${argument.name}' has no description: add .describe('...') to it`),
      ),
    ],
  };
}

function checkResource({ resource, announced }: LoadedResource): CheckedOffer {
  const { address, description } = resource;
  return {
    kind: 'resource',
    name: address.kind === 'uri' ? address.uri : address.template,
    description,
    inputSchema: null,
    digest: digestOf(announced),
    findings:
      description === null
        ? [warning('has no description: say what is in it, users choose by it')]
        : [],
  };
}

function nameFindings(name: string): Finding[] {
  if (NAME_FOR_MODELS.test(name)) return [];
  return [
    warning(
      "name: many hosts take only letters, digits, '_' and '-', 64 at most: write one such as " +
        `'${name.replaceAll('.', '_').slice(0, 64)}'`,
    ),
  ];
}

function descriptionFindings(description: string): Finding[] {
  if (description.trim().length >= MIN_DESCRIPTION_LENGTH) return [];
  return [
    warning(
      `description '${description.trim()}' is short: say in a sentence what the tool does and when to use it, models choose by it`,
    ),
  ];
}

function argumentFindings(inputSchema: Readonly<Record<string, unknown>>): Finding[] {
  return Object.entries(propertiesOf(inputSchema)).flatMap(([name, schema]) =>
    typeof schema === 'object' && schema !== null && 'description' in schema
      ? []
      : [
          warning(
            `argument '${name}' has no description: add .describe('...') to it, models fill it in by that`,
          ),
        ],
  );
}

/** Examples are what models copy: one that the tool refuses is worse than none. */
function exampleFindings(
  inputSchema: Readonly<Record<string, unknown>>,
  parse: (value: unknown) => unknown,
): Finding[] {
  const examples: unknown = inputSchema['examples'];
  if (!Array.isArray(examples)) return [];
  return examples.flatMap((example: unknown, index): Finding[] => {
    try {
      parse(example);
      return [];
    } catch {
      const shown = JSON.stringify(example);
      return [
        { level: 'error', message: `example ${index} of input does not fit it: mend ${shown}` },
      ];
    }
  });
}

function propertiesOf(schema: Readonly<Record<string, unknown>>): object {
  const { properties } = schema;
  return typeof properties === 'object' && properties !== null ? properties : {};
}

function warning(message: string): Finding {
  return { level: 'warning', message };
}

function digestOf(announced: { readonly pluginVersion: string }): string {
  const { pluginVersion: _version, ...seen } = announced;
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex').slice(0, DIGEST_LENGTH);
}
