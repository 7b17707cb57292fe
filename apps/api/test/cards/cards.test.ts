import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { legacyTool, modernTool } from '@longshore/protocol';
import { Cards } from '../../src/cards/cards.ts';
import { requiredScopes } from '../../src/edge/auth/required-scopes.ts';
import { JobTools } from '../../src/job-tools/job-tools.ts';
import { tool } from '../catalogue/support/fakes.ts';

const JOB = 'ui://longshore/job';
const CARD = {
  uri: `ui://%40x%2Fmine/${'0a'.repeat(16)}`,
  html: '<!doctype html><title>Mine</title>',
  csp: { connectDomains: ['https://a.example'] },
};
const kept = { find: async (uri: string) => (uri === CARD.uri ? CARD : null) };

describe('the pages that hosts show', () => {
  let directory: string;
  let cards: Cards;

  beforeAll(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'longshore-cards-'));
    writeFileSync(path.join(directory, 'card.html'), '<!doctype html><title>Job</title>');
    cards = new Cards(directory, 'auto', kept);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('are read whole, may reach nothing, and name no domain', async () => {
    expect(await cards.read(JOB)).toEqual({
      contents: [
        {
          uri: JOB,
          mimeType: 'text/html;profile=mcp-app',
          text: '<!doctype html><title>Job</title>',
          _meta: { ui: { csp: {}, prefersBorder: true } },
        },
      ],
    });
    expect(cards.list()).toEqual([
      expect.objectContaining({ uri: JOB, mimeType: 'text/html;profile=mcp-app' }),
    ]);
    for (const uri of ['ui://longshore/', `${JOB}/`, 'ui://longshore/JOB'])
      expect(await cards.read(uri)).toBeNull();
  });

  it('stand on every tool that can name a job, under both names that hosts look for', () => {
    const meta = { ui: { resourceUri: JOB }, 'ui/resourceUri': JOB };
    const optional = tool('zip');
    for (const wire of [
      legacyTool(optional, true, cards.of(optional)),
      modernTool(optional, cards.of(optional)),
    ]) {
      expect(wire['_meta']).toMatchObject(meta);
    }
    const own = new JobTools('auto', { schedules: true });
    const shown = (name: string) => {
      const announced = own.find(name)?.announced;
      return announced === undefined
        ? undefined
        : modernTool(announced, cards.of(announced))['_meta'];
    };
    for (const name of ['job_wait', 'job_status', 'job_result', 'job_retry'])
      expect(shown(name)).toEqual(meta);
    for (const name of ['job_list', 'job_cancel', 'job_schedules'])
      expect(shown(name)).toBeUndefined();
    expect(cards.of({ ...optional, taskSupport: 'forbidden' })).toBeNull();
  });

  it('are not there where no job can be asked about', async () => {
    const none = new Cards(directory, 'never', kept);
    expect(none.list()).toEqual([]);
    expect(await none.read(JOB)).toBeNull();
    expect(none.of(tool('zip'))).toBeNull();
  });

  it('of plugins stand in place of the job card, with the policy they name, also where no job can be asked about', async () => {
    const none = new Cards(directory, 'never', kept);
    const own = { ...tool('plot'), card: CARD.uri, taskSupport: 'forbidden' as const };
    for (const all of [cards, none]) {
      const { _meta: meta } = modernTool(own, all.of(own));
      expect(meta).toMatchObject({ ui: { resourceUri: CARD.uri }, 'ui/resourceUri': CARD.uri });
      expect(await all.read(CARD.uri)).toEqual({
        contents: [
          {
            uri: CARD.uri,
            mimeType: 'text/html;profile=mcp-app',
            text: CARD.html,
            _meta: { ui: { csp: CARD.csp } },
          },
        ],
      });
      expect(await all.read(CARD.uri.replace('0', '1'))).toBeNull();
    }
    expect(requiredScopes('resources/read', { uri: CARD.uri })).toEqual([]);
    expect(requiredScopes('resources/read', { uri: 'ui://x/card' })).toEqual(['resources:*']);
  });
});
