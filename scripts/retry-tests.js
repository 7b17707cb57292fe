// Tests of real processes on a busy machine of two cores: one that fails is run again, and its first failure stands in
// the log, to be looked into. A stop-gap (CONTRIBUTING.md): a test that needs it has a defect, or what it tests has.
import { jest } from '@jest/globals';

jest.retryTimes(2, { logErrorsBeforeRetry: true });
