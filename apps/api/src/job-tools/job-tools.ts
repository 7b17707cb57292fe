import { type Access, type AnnouncedTool, admits, type ClientAbilities } from '@longshore/core';
import type { CatalogueSection } from '../catalogue/catalogue-section.ts';
import { jobToolScope } from '../edge/auth/job-scopes.ts';
import { jobAnswer, jobCancel } from './act-tools.ts';
import { jobFind, jobRetryFailed } from './card-tools.ts';
import { withJobHandle } from './handle-schema.ts';
import type { JobTool } from './job-tool.ts';
import { jobList, jobStatus } from './read-tools.ts';
import { jobResult } from './result-tool.ts';
import { jobRetry } from './retry-tool.ts';
import { jobSchedule, jobSchedules, jobUnschedule } from './schedule-tools.ts';
import { jobWait } from './wait-tool.ts';

/** `auto`: for clients that do not say they know tasks, and for those that show cards, which follow jobs. */
export type JobToolsSetting = 'auto' | 'always' | 'never';

const FOR_JOBS: readonly JobTool[] = [
  ...[jobAnswer, jobCancel, jobList, jobResult],
  ...[jobRetry, jobStatus, jobWait],
];
/** For pages alone, so only clients that show them see them. */
const FOR_CARDS: readonly JobTool[] = [jobFind, jobRetryFailed];
/** The protocol has no methods for these: they are for clients that know tasks as well. */
const FOR_SCHEDULES: readonly JobTool[] = [jobSchedule, jobSchedules, jobUnschedule];

const byName = (tools: readonly JobTool[]): ReadonlyMap<string, JobTool> =>
  new Map(tools.map((tool) => [tool.announced.name, tool]));

interface Client {
  readonly knowsTasks: boolean;
  readonly abilities: Pick<ClientAbilities, 'ui'>;
}

/** The generated tools of one server: `job_*` are its own names, whatever plugins offer. */
export class JobTools {
  readonly #setting: JobToolsSetting;
  readonly #forSchedules: readonly JobTool[];
  readonly #served: ReadonlyMap<string, JobTool>;

  /** @param options.schedules whether schedules can be made */
  constructor(setting: JobToolsSetting, { schedules }: { readonly schedules: boolean }) {
    this.#setting = setting;
    this.#forSchedules = schedules ? FOR_SCHEDULES : [];
    this.#served = byName([
      ...(setting === 'never' ? [] : [...FOR_JOBS, ...FOR_CARDS]),
      ...this.#forSchedules,
    ]);
  }

  /** Whether a client is offered job tools, and may get a job where it asked for a result. */
  serves(client: Client): boolean {
    const isForAll = this.#setting === 'always';
    return isForAll || (this.#setting === 'auto' && (!client.knowsTasks || client.abilities.ui));
  }

  /** A client may call what it was not offered: a job may be another client's of the same principal. */
  find(name: string): JobTool | null {
    return this.#served.get(name) ?? null;
  }

  /**
   * The catalogue's tools as a client sees it, with those of the server's own that it is offered. For one that is
   * offered job tools, every result may be the handle of a job instead.
   */
  among(tools: CatalogueSection<AnnouncedTool>, access: Access, client: Client): Pages {
    const serves = this.serves(client);
    const forCards = serves && client.abilities.ui ? FOR_CARDS : [];
    const own = [...(serves ? FOR_JOBS : []), ...forCards, ...this.#forSchedules]
      .map(({ announced }) => announced)
      .filter(({ name }) => isAdmitted(access, name));
    return {
      page: (after, limit, isVisible) => {
        const { entries, next } = tools.page(
          after,
          limit,
          (tool) => jobToolScope(tool.name) === null && isVisible(tool),
        );
        const here = own.filter(
          ({ name }) => (after === null || name > after) && (next === null || name < next),
        );
        const all = [...(serves ? entries.map(withJobHandle) : entries), ...here];
        return { entries: all.sort((a, b) => (a.name < b.name ? -1 : 1)), next };
      },
    };
  }
}

function isAdmitted({ scopes }: Access, name: string): boolean {
  const needed = jobToolScope(name);
  return needed !== null && admits(scopes, needed);
}

export type Pages = Pick<CatalogueSection<AnnouncedTool>, 'page'>;
