/** What the reading thread is told: a page. */
export interface ReadOrder {
  readonly html: string;
  /** The article alone, without navigation and the like; else all text of the page. */
  readonly readable: boolean;
}

/** What it says. */
export interface ReadResult {
  readonly title: string;
  readonly byline: string;
  readonly language: string;
  readonly text: string;
}

/** What is used of a node of the DOM, whose types we have none of. */
interface TreeNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly lastChild: TreeNode | null;
  readonly previousSibling: TreeNode | null;
  readonly parentElement: { closest(selector: string): unknown } | null;
}

/** Paths of the modules it uses. */
export interface ReaderModules {
  readonly linkedom: string;
  readonly readability: string;
}

/**
 * The reading thread: parses HTML and finds its text. It is handed over as text (see ReadingThread), so it uses
 * nothing from around it.
 */
export function runReader(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { createRequire } = process.getBuiltinModule('node:module');
  const modules: ReaderModules = workerData;
  const load = createRequire(modules.linkedom);
  const { parseHTML }: typeof import('linkedom') = load(modules.linkedom);
  const { Readability }: typeof import('@mozilla/readability') = load(modules.readability);

  const HIDDEN = /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|SVG|IFRAME|OBJECT|HEAD|TITLE|SELECT|BUTTON)$/;
  const BLOCK =
    /^(P|DIV|SECTION|ARTICLE|MAIN|HEADER|FOOTER|ASIDE|NAV|H[1-6]|UL|OL|DL|DD|DT|BLOCKQUOTE|PRE|TABLE|FORM|FIGURE|FIGCAPTION|HR|ADDRESS|DETAILS|SUMMARY)$/;
  const LINE = /^(BR|LI|TR)$/;
  const CELL = /^T[DH]$/;

  /** The text of a tree with a blank line between blocks; without recursion, because pages nest as they like. */
  const textOf = (root: TreeNode): string => {
    const parts: string[] = [];
    const pending: (TreeNode | string)[] = [root];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (typeof next === 'string') {
        parts.push(next);
        continue;
      }
      if (next.nodeType === 3) {
        const within = next.parentElement?.closest('pre') ?? null;
        const text = next.nodeValue ?? '';
        parts.push(within === null ? text.replace(/\s+/g, ' ') : text);
        continue;
      }
      const name = next.nodeName.toUpperCase();
      if (HIDDEN.test(name)) continue;
      const mark = BLOCK.test(name) ? '\n\n' : LINE.test(name) ? '\n' : '';
      parts.push(mark);
      if (name !== 'BR') pending.push(CELL.test(name) ? '\t' : mark);
      for (let child = next.lastChild; child !== null; child = child.previousSibling) {
        pending.push(child);
      }
    }
    return parts
      .join('')
      .replace(/[ \t]*\n[ \t]*/g, '\n')
      .replace(/[ \t]{2,}/g, ' ')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  };

  /** The parser adds no html, head and body where a page leaves them out, as browsers do. */
  const wholePage = (html: string): string =>
    /<html[\s>]/i.test(html)
      ? html
      : `<html><head></head><body>${html.replace(/<!doctype[^>]*>/i, '')}</body></html>`;

  const article = (document: ConstructorParameters<typeof Readability>[0]) => {
    try {
      return new Readability<TreeNode>(document, { serializer: (node) => node }).parse();
    } catch {
      // Pages exist that it does not cope with; their text can still be had.
      return null;
    }
  };

  const read = ({ html, readable }: ReadOrder): ReadResult => {
    const { document } = parseHTML(wholePage(html));
    const title = (document.querySelector('title')?.textContent ?? '').replace(/\s+/g, ' ').trim();
    const language = document.documentElement?.getAttribute('lang') ?? '';
    const found = readable ? article(document) : null;
    if (!found?.content) return { title, byline: '', language, text: textOf(document) };
    return {
      title: found.title?.trim() || title,
      byline: found.byline?.trim() ?? '',
      language: found.lang ?? language,
      text: textOf(found.content),
    };
  };

  parentPort?.on('message', (order: ReadOrder) => {
    parentPort.postMessage(read(order));
  });
  // The libraries are there.
  parentPort?.postMessage(null);
}
