import {
  Client,
  type ClientCapabilities,
  type CreateMessageRequest,
  type CreateMessageResult,
  type ElicitRequest,
  type ElicitResult,
  type Progress,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';

export type { Progress };

/** Who answers what tools ask. The client says that it can do what there is a function for. */
export interface ClientAnswers {
  /** Forms and pages to open, `ctx.elicit` and `ctx.elicitUrl`. */
  readonly elicit?: (params: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>;
  /** The model, `ctx.sample`. */
  readonly sample?: (
    params: CreateMessageRequest['params'],
  ) => CreateMessageResult | Promise<CreateMessageResult>;
  /** URIs of directories, `ctx.listRoots`. */
  readonly roots?: () => readonly string[];
}

export interface CallOptions {
  readonly onProgress?: (progress: Progress) => void;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** How long to wait for it, in milliseconds; a minute unless said otherwise. */
  readonly timeoutMs?: number;
}

/** How a call ended. A tool that failed is `isError`, and its text says why. */
export interface CallResult {
  readonly isError: boolean;
  /** Of the result's text blocks, one per line. */
  readonly text: string;
  /** What fits the tool's output schema; undefined without one. */
  readonly structured: unknown;
  readonly content: readonly unknown[];
  /** What the client was told meanwhile, in order: the server leaves out what comes too fast. */
  readonly progress: readonly Progress[];
}

const CALL_TIMEOUT_MS = 60_000;

/** A real MCP client over HTTP, with what tests of tools need of it. */
export class EngineClient {
  /** For everything else. */
  readonly mcp: Client;

  constructor(mcp: Client) {
    this.mcp = mcp;
  }

  /**
   * Calls a tool and waits for its end.
   *
   * @throws the protocol error, when there is no such tool, or the server gave up
   */
  async call(name: string, args: object = {}, options: CallOptions = {}): Promise<CallResult> {
    const { onProgress, signal, timeoutMs = CALL_TIMEOUT_MS } = options;
    const progress: Progress[] = [];
    const { content, structuredContent, isError } = await this.mcp.callTool(
      { name, arguments: { ...args } },
      {
        timeout: timeoutMs,
        ...(signal === undefined ? {} : { signal }),
        onprogress: (told) => {
          progress.push(told);
          onProgress?.(told);
        },
      },
    );
    const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    return {
      isError: isError ?? false,
      text: texts.join('\n'),
      structured: structuredContent,
      content,
      progress,
    };
  }

  close(): Promise<void> {
    return this.mcp.close();
  }
}

/** @param url of the MCP endpoint */
export async function connectClient(url: string, answers: ClientAnswers): Promise<EngineClient> {
  const { elicit, sample, roots } = answers;
  const capabilities: ClientCapabilities = {
    ...(elicit === undefined ? {} : { elicitation: { form: {}, url: {} } }),
    ...(sample === undefined ? {} : { sampling: {} }),
    ...(roots === undefined ? {} : { roots: {} }),
  };
  const client = new Client({ name: 'longshore-testkit', version: '0.1.0' }, { capabilities });
  if (elicit !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => elicit(params));
  }
  if (sample !== undefined) {
    client.setRequestHandler('sampling/createMessage', ({ params }) => sample(params));
  }
  if (roots !== undefined) {
    client.setRequestHandler('roots/list', () => ({ roots: roots().map((uri) => ({ uri })) }));
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return new EngineClient(client);
}
