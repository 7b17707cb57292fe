/** Test files by what they need: nothing, servers, or whole processes. scripts/test.js starts the servers. */
const project = (name, testMatch) => ({
  displayName: name,
  rootDir: import.meta.dirname,
  testMatch: testMatch.map((glob) => `<rootDir>/${glob}`),
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@longshore/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/', '<rootDir>/.cache/'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
});

export default {
  // Far beyond what anything takes on a slow machine; tests wait for conditions, which say what is missing.
  testTimeout: 60_000,
  // Most of the time tests wait for processes: two files at a time leave two cores idle for two fifths of it, three for a
  // quarter.
  maxWorkers: 4,
  testSequencer: './scripts/test-order.js',
  projects: [
    project('unit', [
      'packages/*/test/**/!(*.integration).test.ts',
      'apps/*/test/**/!(*.integration).test.ts',
      'chaos/test/**/!(*.integration).test.ts',
      'test/!(*.e2e).test.ts',
    ]),
    project('integration', [
      'packages/*/test/**/*.integration.test.ts',
      'apps/*/test/**/*.integration.test.ts',
      'chaos/test/**/*.integration.test.ts',
    ]),
    project('e2e', ['test/**/*.e2e.test.ts', 'examples/*/test/**/*.test.ts']),
  ],
};
