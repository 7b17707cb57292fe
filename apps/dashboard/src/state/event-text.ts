import { isRecord, type Json } from './json.ts';

/** An event of a task in words. */
export interface EventText {
  readonly title: string;
  readonly message: string | null;
  /** What else is known of it. */
  readonly rest: Json;
}

/** What a tool has logged is a text, or fields with one as `message`; all else has its message among its data. */
export function eventText(kind: string, data: Json): EventText {
  const { level, data: logged } = data;
  const isLog = kind === 'log';
  const said = !isLog ? data : isRecord(logged) ? logged : { message: logged };
  const { message, ...rest } = said;
  const isText = typeof message === 'string';
  return {
    title: isLog ? `log ${String(level)}` : kind.replaceAll('_', ' '),
    message: isText ? message : null,
    rest: isText ? rest : said,
  };
}
