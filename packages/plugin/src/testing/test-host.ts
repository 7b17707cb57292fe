import type { PluginHost } from '../plugin.ts';

/** What an operator grants, for tests: nothing but what is given. */
export function testHost(grants: Partial<PluginHost> = {}): PluginHost {
  return {
    directories: [],
    dataDir: '/nonexistent',
    network: { hosts: [], privateHosts: [], userAgent: 'longshore-test/1.0' },
    resourceUpdated: () => {},
    catalogueChanged: () => {},
    ...grants,
  };
}
