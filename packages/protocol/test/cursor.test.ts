import { describe, expect, it } from '@jest/globals';
import type { TaskId } from '@longshore/core';
import fc from 'fast-check';
import {
  decodeNameCursor,
  decodePlaceCursor,
  encodeNameCursor,
  encodePlaceCursor,
} from '../src/shared/cursor.ts';

const invalid = expect.objectContaining({ code: 'INVALID_CURSOR' });

describe('cursors', () => {
  it('come back as they were given out', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
        fc.uuid(),
        (createdAt, id) => {
          const position = { createdAt, id: id as TaskId };
          expect(decodePlaceCursor('tasks', encodePlaceCursor('tasks', position))).toEqual(
            position,
          );
        },
      ),
    );
    expect(decodeNameCursor('tools', encodeNameCursor('tools', 'text_count'))).toBe('text_count');
  });

  it('refuse whatever this server did not give out', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodePlaceCursor('tasks', text)).toThrow(invalid);
        expect(() => decodeNameCursor('tools', text)).toThrow(invalid);
      }),
    );
  });

  it('of one list do not fit another', () => {
    expect(() => decodePlaceCursor('tasks', encodeNameCursor('tools', 'a'))).toThrow(invalid);
    const task = encodePlaceCursor('tasks', {
      createdAt: new Date(),
      id: '8c5c3f7e-9a06-4d3c-8ff5-2f6f6f4f6f6f',
    });
    expect(() => decodeNameCursor('tools', task)).toThrow(invalid);
    expect(() => decodePlaceCursor('schedules', task)).toThrow(invalid);
    expect(() => decodeNameCursor('tools', encodeNameCursor('prompts', 'a'))).toThrow(invalid);
  });
});
