import * as z from 'zod';

const Content = z.array(
  z.looseObject({ type: z.string(), text: z.string().optional(), uri: z.string().optional() }),
);

/** A CallToolResult: whole as JSON, else its texts and what else is in it by its kind. */
export function showResult(result: Readonly<Record<string, unknown>>, isJson: boolean): string {
  const { resultType: _wire, _meta, ...shown } = result;
  if (isJson) return JSON.stringify(shown, null, 2);
  const content = Content.safeParse(result['content']).data ?? [];
  return content
    .map(({ type, text, uri }) => text ?? (uri === undefined ? `[${type}]` : `[${type}] ${uri}`))
    .join('\n');
}
