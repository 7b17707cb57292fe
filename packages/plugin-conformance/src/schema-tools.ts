import { defineTool, type JsonSchemaObject, type Tool, z } from '@longshore/plugin';

/** JSON Schema 2020-12 that zod has no words for (SEP-1613, SEP-2106). */
const CONTACT: JsonSchemaObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** Tools whose input schema is what matters. */
export const schemaTools: readonly Tool[] = [
  defineTool({
    name: 'json_schema_2020_12_tool',
    description: 'Takes arguments whose schema uses the whole vocabulary of JSON Schema 2020-12.',
    input: z.looseObject({}),
    inputJsonSchema: CONTACT,
    run: (input) => `Called with ${JSON.stringify(input)}`,
  }),
  defineTool({
    name: 'test_custom_header',
    description: 'Takes an argument that clients repeat in the header Mcp-Param-Region (SEP-2243).',
    input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    run: ({ region }) => `Region: ${region}`,
  }),
];
