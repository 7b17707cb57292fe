import { type Json, recordIn, recordsIn, textIn } from '../state/json.ts';
import type { Host } from './host.ts';

/** A download of more than this is one for the dashboard. */
const MOST_BYTES = 10 * 1024 * 1024;

/** The server has no job of this id, any more, for this user. */
export class JobGone extends Error {}

/** The server speaks with newer cards. */
export class CardOutdated extends Error {}

/** The server behind the host, as the card needs it. */
export class JobServer {
  readonly #host: Host;
  readonly #version: number;

  /** @param version of the card, which the server has put into its page */
  constructor(host: Host, version: number) {
    this.#host = host;
    this.#version = version;
  }

  /**
   * Calls one of the server's own tools.
   * @throws JobGone · CardOutdated · Error with what stands in the way
   */
  async ask(tool: string, args: Json): Promise<Json> {
    const result = await this.#host.call(tool, args);
    const told = recordIn(result, 'structuredContent') ?? {};
    if (recordIn(told, 'card')?.['outdated'] === true) throw new CardOutdated();
    if (told['gone'] === true) throw new JobGone();
    if (result['isError'] === true) throw new Error(textsOf(result)[0] ?? `${tool} failed`);
    return result;
  }

  /** The same, of a tool that tells cards more than models. */
  async askAsCard(tool: string, args: Json): Promise<Json> {
    const result = await this.ask(tool, { ...args, card: this.#version });
    return recordIn(result, 'structuredContent') ?? {};
  }

  /** Reads a content of a job, part after part. @throws Error when it is too large to be had this way */
  async read(uri: string): Promise<Blob> {
    const parts: BlobPart[] = [];
    let type = 'application/octet-stream';
    for (let next: string | null = uri, size = 0; next !== null; ) {
      const answer: Json = await this.#host.request('resources/read', { uri: next });
      const content: Json = recordsIn(answer, 'contents')[0] ?? {};
      const text = textIn(content, 'text');
      const part =
        text ?? Uint8Array.from(atob(textIn(content, 'blob') ?? ''), (unit) => unit.charCodeAt(0));
      type = textIn(content, 'mimeType') ?? type;
      parts.push(part);
      size += part.length;
      if (size > MOST_BYTES) throw new Error('This is too large to be downloaded through the host');
      const page: Json | null = recordIn(recordIn(content, '_meta'), 'dev.longshore/page');
      if (page === null) throw new Error('The host does not say how much of it this is');
      next = textIn(page, 'next');
    }
    return new Blob(parts, { type });
  }
}

export const textsOf = (result: Json): readonly string[] =>
  recordsIn(result, 'content').flatMap((block) => textIn(block, 'text') ?? []);
