import type { PluginHost } from '../plugin.ts';

/** What an operator grants, for tests: nothing but what is given. */
export function testHost(grants: Partial<PluginHost> = {}): PluginHost {
  return {
    directories: [],
    dataDir: '/nonexistent',
    fileLimits: { fileBytes: 2 ** 30, principalBytes: 2 ** 34 },
    network: { hosts: [], privateHosts: [], userAgent: 'longshore-test/1.0' },
    resourceUpdated: () => {},
    catalogueChanged: () => {},
    ...grants,
  };
}
