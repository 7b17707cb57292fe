import { defineResource, type Resource } from '@longshore/plugin';
import { PIXEL } from './samples.ts';

export const resources: readonly Resource[] = [
  defineResource({
    uri: 'test://static-text',
    name: 'static-text',
    description: 'A text.',
    mimeType: 'text/plain',
    read: () => 'This is the content of the static text resource.',
  }),
  defineResource({
    uri: 'test://static-binary',
    name: 'static-binary',
    description: 'An image.',
    mimeType: 'image/png',
    read: () => ({ blob: PIXEL }),
  }),
  defineResource({
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    description: 'Data by id.',
    mimeType: 'application/json',
    read: ({ variables: { id } }) =>
      JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }),
  defineResource({
    uri: 'test://watched-resource',
    name: 'watched-resource',
    description: 'A text that clients subscribe to.',
    mimeType: 'text/plain',
    read: () => 'Nothing changed yet.',
  }),
];
