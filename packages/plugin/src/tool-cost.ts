import * as z from 'zod';
import { show } from './checks/definition-checks.ts';

/** About what a run costs, for whoever chooses. Nothing is counted by it. */
export interface ToolCost {
  /** 0 or more, in `unit`. Left out: the note says it. */
  readonly amount?: number;
  /** Such as `USD`, `tokens` or `CPU s`; 1 to 32 characters. */
  readonly unit: string;
  /** Such as `per page`. */
  readonly note?: string;
}

export const toolCost = z
  .strictObject({
    amount: z
      .number({ error: (issue) => `must be a number, not ${show(issue.input)}` })
      .min(0, { error: (issue) => `must be at least 0, not ${show(issue.input)}` })
      .optional(),
    unit: z
      .string({ error: "must be a text, such as 'USD'" })
      .min(1, { error: "must be a text, such as 'USD'" })
      .max(32, { error: 'must be at most 32 characters' }),
    note: z.string({ error: 'must be a text' }).optional(),
  })
  .optional();
