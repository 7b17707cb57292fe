import { describe, expect, it } from '@jest/globals';
import { loggedError } from '../src/logged-error.ts';

describe('loggedError', () => {
  it('shows name, message, code and causes, and nothing a driver attached', () => {
    const cause = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'secret row',
    });
    const logged = loggedError(new Error('accept failed', { cause }));
    expect(logged).toMatchObject({
      type: 'Error',
      message: 'accept failed',
      cause: { message: 'duplicate key', code: '23505' },
    });
    expect(JSON.stringify(logged)).not.toContain('secret row');
  });

  it('ends with causes that go round in circles', () => {
    const error = new Error('round');
    error.cause = error;
    expect(JSON.stringify(loggedError(error)).length).toBeGreaterThan(0);
  });
});
