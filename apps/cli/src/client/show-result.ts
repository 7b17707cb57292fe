import * as z from 'zod';
import { quoted } from './call-example.ts';

const Content = z.array(
  z.looseObject({ type: z.string(), text: z.string().optional(), uri: z.string().optional() }),
);

/** Of what belongs to a task. */
const TASK_URI =
  /^longshore:\/\/tasks\/(?<id>[^/?]+)\/(?<part>result|items|files)(?:\/(?<name>[^?]+))?(?:\?(?<query>.*))?$/;

/**
 * A CallToolResult: whole as JSON, else its texts and what else is in it by its kind, links with the command that
 * fetches them.
 *
 * @param how.again makes a command for the same server
 */
export function showResult(
  result: Readonly<Record<string, unknown>>,
  how: { readonly isJson: boolean; readonly again: (words: string) => string },
): string {
  const { resultType: _wire, _meta, ...shown } = result;
  if (how.isJson) return JSON.stringify(shown, null, 2);
  const content = Content.safeParse(result['content']).data ?? [];
  return content
    .map(({ type, text, uri }) => {
      if (text !== undefined) return text;
      if (uri === undefined) return `[${type}]`;
      const words = fetching(uri);
      return `[${type}] ${uri}${words === null ? '' : `\n  ${how.again(words)}`}`;
    })
    .join('\n');
}

/** What to type for what a link leads to; null: it is no part of a task. */
function fetching(uri: string): string | null {
  const { id, part, name = '', query } = TASK_URI.exec(uri)?.groups ?? {};
  if (id === undefined) return null;
  if (part === 'result') return `tasks result ${id}`;
  if (part === 'files') return `tasks download ${id} ${quoted(decodeURIComponent(name))}`;
  const isFailed = new URLSearchParams(query).get('status') === 'failed';
  return `tasks items ${id}${isFailed ? ' --failed' : ''}`;
}

/** What the server says to models, who have its tools, for people, who have commands. */
export function inCommands(text: string, again: (words: string) => string): string {
  return text.replaceAll(/\bjob_[a-z]+\b/g, (tool) => {
    const words = COMMANDS_OF_TOOLS[tool];
    return words === undefined ? tool : `"${again(words)}"`;
  });
}

const COMMANDS_OF_TOOLS: Readonly<Record<string, string>> = {
  job_cancel: 'tasks cancel',
  job_list: 'tasks list',
  job_result: 'tasks result',
  job_retry: 'tasks retry',
  job_schedule: 'schedule add',
  job_schedules: 'schedule list',
  job_status: 'tasks show',
  job_unschedule: 'schedule remove',
  job_wait: 'tasks tail',
};
