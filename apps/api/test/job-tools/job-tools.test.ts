import { describe, expect, it } from '@jest/globals';
import type { Access, AnnouncedTool, AuthBindingId, PrincipalId } from '@longshore/core';
import type { CatalogueSection } from '../../src/catalogue/catalogue-section.ts';
import { JobTools, type JobToolsSetting } from '../../src/job-tools/job-tools.ts';
import { tool } from '../catalogue/support/fakes.ts';

const identity = { principalId: 'p' as PrincipalId, authBindingId: 'b' as AuthBindingId };
const access = (scopes: string[] | null): Access => ({
  identity,
  sessionIdentity: identity,
  scopes,
  limits: {},
});

const page: CatalogueSection<AnnouncedTool>['page'] = (_after, _limit, isVisible) => ({
  entries: [tool('echo'), tool('zip')].filter(isVisible),
  next: null,
});

const SCHEDULES = ['job_schedule', 'job_schedules', 'job_unschedule'];

describe('the tools of the server itself', () => {
  const offered = (
    setting: JobToolsSetting,
    schedules: boolean,
    { knowsTasks = false, ui = false, scopes = null as string[] | null } = {},
  ): string[] =>
    new JobTools(setting, { schedules })
      .among({ page } as CatalogueSection<AnnouncedTool>, access(scopes), {
        knowsTasks,
        abilities: { ui },
      })
      .page(null, 100, () => true)
      .entries.map(({ name }) => name);

  it('for schedules are offered to all, those for jobs to clients that know no tasks, or show cards', () => {
    expect(offered('auto', true, { knowsTasks: true })).toEqual(['echo', ...SCHEDULES, 'zip']);
    expect(offered('auto', true)).toEqual(expect.arrayContaining([...SCHEDULES, 'job_wait']));
    expect(offered('never', true)).toEqual(['echo', ...SCHEDULES, 'zip']);
    expect(offered('auto', true, { knowsTasks: true, ui: true })).toContain('job_wait');
  });

  it('for schedules can be switched off, and are not there then', () => {
    expect(offered('never', false)).toEqual(['echo', 'zip']);
    expect(offered('always', false)).not.toEqual(expect.arrayContaining([SCHEDULES[0]]));
    const without = new JobTools('always', { schedules: false });
    expect(SCHEDULES.map((name) => without.find(name))).toEqual([null, null, null]);
    expect(without.find('job_wait')?.announced.name).toBe('job_wait');
    const alone = new JobTools('never', { schedules: true });
    expect(alone.find('job_schedule')?.announced.name).toBe('job_schedule');
    expect(alone.find('job_wait')).toBeNull();
  });

  it('are offered to whom their scope admits', () => {
    expect(offered('auto', true, { knowsTasks: true, scopes: ['tasks:read'] })).toEqual([
      'echo',
      'job_schedules',
      'zip',
    ]);
    expect(offered('auto', true, { knowsTasks: true, scopes: ['tools:*'] })).toEqual([
      'echo',
      'zip',
    ]);
  });
});
