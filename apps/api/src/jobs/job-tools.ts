import { type Access, type AnnouncedTool, admits } from '@longshore/core';
import type { CatalogueSection } from '../catalogue/catalogue-section.ts';
import { jobAnswer, jobCancel } from './act-tools.ts';
import { withJobHandle } from './handle-schema.ts';
import { jobToolScope } from './job-scopes.ts';
import type { JobTool } from './job-tool.ts';
import { jobList, jobStatus, jobWait } from './read-tools.ts';
import { jobResult } from './result-tool.ts';
import { jobRetry } from './retry-tool.ts';

/** `auto`: for clients that do not say they know tasks. */
export type JobToolsSetting = 'auto' | 'always' | 'never';

const ALL: readonly JobTool[] = [
  ...[jobAnswer, jobCancel, jobList, jobResult],
  ...[jobRetry, jobStatus, jobWait],
];
const BY_NAME = new Map(ALL.map((tool) => [tool.announced.name, tool]));

/** The generated tools of one server: `job_*` are its own names, whatever plugins offer. */
export class JobTools {
  readonly #setting: JobToolsSetting;

  constructor(setting: JobToolsSetting) {
    this.#setting = setting;
  }

  /** Whether a client is offered job tools, and may get a job where it asked for a result. */
  serves(client: { readonly knowsTasks: boolean }): boolean {
    return this.#setting === 'always' || (this.#setting === 'auto' && !client.knowsTasks);
  }

  /** A client may call what it was not offered: a job may be another client's of the same principal. */
  find(name: string): JobTool | null {
    return this.#setting === 'never' ? null : (BY_NAME.get(name) ?? null);
  }

  /**
   * The catalogue's tools as a client sees it that is offered job tools: these among the others, and every
   * result may be the handle of a job instead.
   */
  among(tools: CatalogueSection<AnnouncedTool>, access: Access): Pages {
    const own = ALL.filter(({ announced }) => {
      const scope = jobToolScope(announced.name);
      return scope !== null && admits(access.scopes, scope);
    });
    return {
      page: (after, limit, isVisible) => {
        const { entries, next } = tools.page(
          after,
          limit,
          (tool) => !BY_NAME.has(tool.name) && isVisible(tool),
        );
        const here = own
          .map(({ announced }) => announced)
          .filter(({ name }) => (after === null || name > after) && (next === null || name < next));
        const all = [...entries.map(withJobHandle), ...here];
        return { entries: all.sort((a, b) => (a.name < b.name ? -1 : 1)), next };
      },
    };
  }
}

export type Pages = Pick<CatalogueSection<AnnouncedTool>, 'page'>;
